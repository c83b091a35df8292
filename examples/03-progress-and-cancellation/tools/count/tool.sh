#!/usr/bin/env bash
# shellcheck source=/dev/null
. "$MCP_SDK/tool-sdk.sh"

for i in 1 2 3 4; do
	mcp_progress "$i" "step $i of 4" 4
done
mcp_emit_text "counted to 4"
