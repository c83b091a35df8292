#!/usr/bin/env bash
# mcp: {"description": "Works for clients that have a model only", "inputSchema": {"type": "object", "properties": {}}}
. "$MCP_SDK/tool-sdk.sh"

mcp_require_capability sampling
printf 'The client has a model.'
