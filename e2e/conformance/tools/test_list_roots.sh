#!/usr/bin/env bash
# mcp: {"description": "Lists the roots of the client", "inputSchema": {"type": "object", "properties": {}}}
. "$MCP_SDK/tool-sdk.sh"

mcp_require_capability roots
mcp_ask -v answers roots roots/list '{}'
mcp_jq '.roots | .error // (.roots | map(.uri) | join("\n"))' "$answers"
