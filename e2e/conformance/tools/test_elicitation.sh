#!/usr/bin/env bash
. "$MCP_SDK/tool-sdk.sh"

mcp_args_get -v message .message
mcp_elicit -v answer "$message" '{
  "type": "object",
  "properties": {
    "username": {"type": "string", "description": "Your name"},
    "email": {"type": "string", "description": "Your address"}
  },
  "required": ["username", "email"]
}'
printf 'User response: %s' "$answer"
