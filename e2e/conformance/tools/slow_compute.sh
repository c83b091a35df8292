#!/usr/bin/env bash
# mcp: {"description": "Computes for as many seconds as it is told", "taskSupport": "optional", "inputSchema": {"type": "object", "properties": {"seconds": {"type": "number"}, "label": {"type": "string"}}}}
. "$MCP_SDK/tool-sdk.sh"

mcp_args_get -v seconds '.seconds // 0'
sleep "$seconds"
printf 'Computed for %s seconds.' "$seconds"
