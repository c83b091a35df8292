#!/usr/bin/env bash
# mcp: {"description": "Asks the user, and refuses a state that was changed", "inputSchema": {"type": "object", "properties": {}}}
. "$MCP_SDK/tool-sdk.sh"

mcp_ask -v answers confirm elicitation/create '{
  "message": "Please confirm",
  "requestedSchema": {"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]}
}'
mcp_jq 'if .confirm.content.ok then "The state is as it was." else "not confirmed" end' "$answers"
