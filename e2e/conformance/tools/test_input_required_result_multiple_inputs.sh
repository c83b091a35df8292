#!/usr/bin/env bash
# mcp: {"description": "Asks the user, the model and for roots at once", "inputSchema": {"type": "object", "properties": {}}}
. "$MCP_SDK/tool-sdk.sh"

mcp_ask -v answers \
	user_name elicitation/create '{
    "message": "What is your name?",
    "requestedSchema": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
  }' \
	greeting sampling/createMessage '{
    "messages": [{"role": "user", "content": {"type": "text", "text": "Generate a greeting"}}],
    "maxTokens": 50
  }' \
	client_roots roots/list '{}'
mcp_jq '"\(.greeting.content.text), \(.user_name.content.name): \(.client_roots.roots | length) roots"' "$answers"
