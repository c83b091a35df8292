#!/usr/bin/env bash
# mcp: {"description": "Greets", "taskSupport": "forbidden", "inputSchema": {"type": "object", "properties": {"name": {"type": "string"}}}}
. "$MCP_SDK/tool-sdk.sh"

mcp_args_get -v name '.name // "World"'
printf 'Hello, %s!' "$name"
