#!/usr/bin/env bash
. "$MCP_SDK/tool-sdk.sh"

mcp_args_get -v steps '(.seconds // 30) * 10 | ceil'
for ((step = 1; step <= steps; step++)); do
	sleep 0.1
	mcp_progress "$step" "asleep" "$steps"
done
printf 'That was slow.'
