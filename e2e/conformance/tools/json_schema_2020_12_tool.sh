#!/usr/bin/env bash
. "$MCP_SDK/tool-sdk.sh"

mcp_args_raw
