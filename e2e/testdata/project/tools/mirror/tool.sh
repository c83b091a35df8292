#!/usr/bin/env bash
# Its output is its arguments, so the caller decides whether it is right.
printf '%s\n' "$MCP_TOOL_ARGS_JSON"
