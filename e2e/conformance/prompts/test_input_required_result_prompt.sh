#!/usr/bin/env bash
# mcp: {"description": "Asks the user what it is about"}
. "$MCP_SDK/tool-sdk.sh"

mcp_ask -v answers user_context elicitation/create '{
  "message": "What context should the prompt use?",
  "requestedSchema": {"type": "object", "properties": {"context": {"type": "string"}}, "required": ["context"]}
}'
mcp_jq '"Use this context: \(.user_context.content.context // "none")"' "$answers"
