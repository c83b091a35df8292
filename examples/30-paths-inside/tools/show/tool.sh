#!/usr/bin/env bash
source "${MCP_SDK:?}/tool-sdk.sh"
cat -- "$(mcp_args_get '.path')"
