#!/usr/bin/env bash
# shellcheck source=/dev/null
. "$MCP_SDK/tool-sdk.sh"
n=$(mcp_args_int .n)
sleep "0.0$((n % 10))" # so that they do not end in the order in which they began
echo "call $n"
