#!/usr/bin/env bash
# mcp: {"description": "Works, and asks two questions at once", "taskSupport": "required", "inputSchema": {"type": "object", "properties": {}}}
. "$MCP_SDK/tool-sdk.sh"

sleep 1 # it works: by now it is a task
mcp_ask -v answers \
	user_name elicitation/create '{
    "message": "What is your name?",
    "requestedSchema": {"type": "object", "properties": {"name": {"type": "string"}}}
  }' \
	sure elicitation/create '{
    "message": "Are you sure?",
    "requestedSchema": {"type": "object", "properties": {"confirm": {"type": "boolean"}}}
  }'
printf 'Answers: %s' "$answers"
