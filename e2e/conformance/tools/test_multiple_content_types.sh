#!/usr/bin/env bash
# mcp: {"description": "Answers with a text, an image and a resource", "inputSchema": {"type": "object", "properties": {}}}

image=$(base64 <media/dot.png | tr -d '\n')
cat <<END
{"content": [
  {"type": "text", "text": "Multiple content types test:"},
  {"type": "image", "mimeType": "image/png", "data": "$image"},
  {"type": "resource", "resource": {
    "uri": "test://mixed-content-resource",
    "mimeType": "application/json",
    "text": "{\\"test\\":\\"data\\",\\"value\\":123}"
  }}
]}
END
