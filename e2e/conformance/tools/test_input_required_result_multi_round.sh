#!/usr/bin/env bash
# mcp: {"description": "Asks the user one thing after the other", "inputSchema": {"type": "object", "properties": {}}}
. "$MCP_SDK/tool-sdk.sh"

mcp_ask -v first step1 elicitation/create '{
  "message": "Step 1: What is your name?",
  "requestedSchema": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
}'
mcp_ask -v second step2 elicitation/create '{
  "message": "Step 2: What is your favorite color?",
  "requestedSchema": {"type": "object", "properties": {"color": {"type": "string"}}, "required": ["color"]}
}'
mcp_jq -v name '.step1.content.name // "Nobody"' "$first"
mcp_jq -v color '.step2.content.color // "no color"' "$second"
printf '%s likes %s.' "$name" "$color"
