#!/usr/bin/env bash
# shellcheck source=/dev/null
source "${MCP_SDK:?}/tool-sdk.sh"
n=$(mcp_args_get '.lines // 3')
for ((i = 1; i <= n; i++)); do echo "line $i of the log"; done
