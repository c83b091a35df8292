#!/usr/bin/env bash
. "$MCP_SDK/tool-sdk.sh"

mcp_args_get -v message .message
answer=$(mcp_elicit "$message" '{
  "type": "object",
  "properties": {
    "username": {"type": "string", "description": "Your name"},
    "email": {"type": "string", "description": "Your address"}
  },
  "required": ["username", "email"]
}') || : # a client that cannot ask is told so too
printf 'User response: %s' "$answer"
