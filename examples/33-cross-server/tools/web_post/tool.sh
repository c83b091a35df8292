#!/usr/bin/env bash
source "${MCP_SDK:?}/tool-sdk.sh"
echo "posted: $(mcp_args_get '.text')"
