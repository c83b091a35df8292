#!/usr/bin/env bash
# mcp: {"description": "Answers with an image", "inputSchema": {"type": "object", "properties": {}}}

image=$(base64 <media/dot.png | tr -d '\n')
echo '{"content": [{"type": "image", "mimeType": "image/png", "data": "'"$image"'"}]}'
