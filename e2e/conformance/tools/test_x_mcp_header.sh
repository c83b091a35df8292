#!/usr/bin/env bash
# mcp: {"description": "Wants its argument in a header, over HTTP", "inputSchema": {"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}}}}
. "$MCP_SDK/tool-sdk.sh"

mcp_args_get -v region '.region // ""'
printf 'region: %s' "$region"
