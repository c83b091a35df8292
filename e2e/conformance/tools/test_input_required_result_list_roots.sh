#!/usr/bin/env bash
# mcp: {"description": "Asks the client for its roots", "inputSchema": {"type": "object", "properties": {}}}
. "$MCP_SDK/tool-sdk.sh"

mcp_ask -v answers client_roots roots/list '{}'
mcp_jq '.client_roots | .error // (.roots | map(.uri) | join("\n"))' "$answers"
