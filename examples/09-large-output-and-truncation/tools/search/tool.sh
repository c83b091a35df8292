#!/usr/bin/env bash
# shellcheck source=/dev/null
. "$MCP_SDK/tool-sdk.sh"

word=$(mcp_args_get .word)
bytes=$(mcp_args_int .bytes --default 120)

found=()
for ((i = 1; i <= 500; i++)); do
	found+=("{\"id\":$i,\"title\":\"$i. $word\"}")
done
IFS=,
mcp_json_truncate "[${found[*]}]" "$bytes"
