#!/usr/bin/env bash
. "$MCP_SDK/tool-sdk.sh"

mcp_args_get -v prompt .prompt
mcp_sample -v text "$prompt" --max-tokens 100
printf 'LLM response: %s' "$text"
