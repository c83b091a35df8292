#!/usr/bin/env bash
# mcp: {"description": "Answers with a resource", "inputSchema": {"type": "object", "properties": {}}}

cat <<'END'
{"content": [{"type": "resource", "resource": {
  "uri": "test://embedded-resource",
  "mimeType": "text/plain",
  "text": "This is an embedded resource content."
}}]}
END
