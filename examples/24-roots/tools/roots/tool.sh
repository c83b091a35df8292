#!/usr/bin/env bash
# shellcheck source=/dev/null
. "$MCP_SDK/tool-sdk.sh"

echo "$(mcp_roots_count) root(s):"
mcp_roots_list
path=$(mcp_args_get '.path // ""')
if [[ -n $path ]]; then
	if mcp_roots_contains "$path"; then
		echo "$path is inside"
	else
		echo "$path is outside"
	fi
fi
