#!/usr/bin/env bash
. "$MCP_SDK/tool-sdk.sh"

mcp_args_get -v prompt .prompt
text=$(mcp_sample "$prompt" --max-tokens 100)
printf 'LLM response: %s' "$text"
