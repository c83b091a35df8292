#!/usr/bin/env bash
# mcp: {"description": "Asks the user, and keeps a state meanwhile", "inputSchema": {"type": "object", "properties": {}}}
. "$MCP_SDK/tool-sdk.sh"

mcp_ask -v answers confirm elicitation/create '{
  "message": "Please confirm",
  "requestedSchema": {"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]}
}'
mcp_jq 'if .confirm.content.ok then "state-ok" else "not confirmed" end' "$answers"
