#!/usr/bin/env bash
# mcp: {"description": "Asks the user while its answer is streamed", "inputSchema": {"type": "object", "properties": {}}}
. "$MCP_SDK/tool-sdk.sh"

answer=$(mcp_elicit_confirm "Shall it go on?") || : # a client that cannot ask is told so too
printf 'Elicitation completed: %s' "$answer"
