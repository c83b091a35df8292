#!/usr/bin/env bash
# mcp: {"description": "Fails", "inputSchema": {"type": "object", "properties": {}}}

cat <<'END'
{"content": [{"type": "text", "text": "This tool intentionally returns an error for testing"}], "isError": true}
END
