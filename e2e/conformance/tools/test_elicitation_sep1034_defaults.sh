#!/usr/bin/env bash
# mcp: {"description": "Shows a form that is filled in already", "inputSchema": {"type": "object", "properties": {}}}
. "$MCP_SDK/tool-sdk.sh"

answer=$(mcp_elicit "Is this right?" '{
  "type": "object",
  "properties": {
    "name": {"type": "string", "default": "John Doe"},
    "age": {"type": "integer", "default": 30},
    "score": {"type": "number", "default": 95.5},
    "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
    "verified": {"type": "boolean", "default": true}
  },
  "required": []
}') || : # a client that cannot ask is told so too
printf 'Elicitation completed: %s' "$answer"
