#!/usr/bin/env bash
# mcp: {"description": "Asks the user for a name", "inputSchema": {"type": "object", "properties": {}}}
. "$MCP_SDK/tool-sdk.sh"

mcp_ask -v answers user_name elicitation/create '{
  "message": "What is your name?",
  "requestedSchema": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
}'
mcp_jq '"Hello, \(.user_name.content.name // "stranger")!"' "$answers"
