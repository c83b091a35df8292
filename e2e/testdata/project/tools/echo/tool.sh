#!/usr/bin/env bash
# mcp: {"description":"Answers with its arguments, byte for byte"}
if [[ -n ${MCP_TOOL_ARGS_FILE:-} ]]; then
	cat "$MCP_TOOL_ARGS_FILE"
else
	printf '%s' "$MCP_TOOL_ARGS_JSON"
fi
