#!/usr/bin/env bash
# mcp: {"description": "Asks first, then works as a task", "taskSupport": "required", "inputSchema": {"type": "object", "properties": {}}}
. "$MCP_SDK/tool-sdk.sh"

mcp_ask -v answer user_name elicitation/create '{
  "message": "What is your name?",
  "requestedSchema": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
}'
sleep 1
mcp_jq -v name '.user_name.content.name // "nobody"' "$answer"
printf 'Hello, %s!' "$name"
