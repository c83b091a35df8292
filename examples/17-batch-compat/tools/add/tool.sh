#!/usr/bin/env bash
# shellcheck source=/dev/null
. "$MCP_SDK/tool-sdk.sh"
echo $(($(mcp_args_int .a) + $(mcp_args_int .b)))
