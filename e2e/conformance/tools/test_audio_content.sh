#!/usr/bin/env bash
# mcp: {"description": "Answers with a sound", "inputSchema": {"type": "object", "properties": {}}}

sound=$(base64 <media/beep.wav | tr -d '\n')
echo '{"content": [{"type": "audio", "mimeType": "audio/wav", "data": "'"$sound"'"}]}'
