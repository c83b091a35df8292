#!/usr/bin/env bash
source "${MCP_SDK:?}/tool-sdk.sh"
echo "sent: $(mcp_args_get '.text')"
