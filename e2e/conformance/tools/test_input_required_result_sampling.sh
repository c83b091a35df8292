#!/usr/bin/env bash
# mcp: {"description": "Asks the model of the client for a capital", "inputSchema": {"type": "object", "properties": {}}}
. "$MCP_SDK/tool-sdk.sh"

mcp_ask -v answers capital_question sampling/createMessage '{
  "messages": [{"role": "user", "content": {"type": "text", "text": "What is the capital of France?"}}],
  "maxTokens": 100
}'
mcp_jq '[.capital_question | .error // .content] | flatten | map(.text? // .) | join(" ")' "$answers"
