#!/usr/bin/env bash
# mcp: {"description": "Asks the client what it can be asked", "inputSchema": {"type": "object", "properties": {}}}
. "$MCP_SDK/tool-sdk.sh"

questions=()
if mcp_client_supports elicitation; then
	questions+=(user_name elicitation/create '{
    "message": "What is your name?",
    "requestedSchema": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
  }')
fi
if mcp_client_supports sampling; then
	questions+=(greeting sampling/createMessage '{
    "messages": [{"role": "user", "content": {"type": "text", "text": "Generate a greeting"}}],
    "maxTokens": 50
  }')
fi
if mcp_client_supports roots; then
	questions+=(client_roots roots/list '{}')
fi
if [ ${#questions[@]} -eq 0 ]; then
	printf 'The client cannot be asked.'
	exit
fi
mcp_ask -v answers "${questions[@]}"
mcp_jq '"asked for " + (keys | join(", "))' "$answers"
