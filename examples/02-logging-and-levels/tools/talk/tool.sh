#!/usr/bin/env bash
# shellcheck source=/dev/null
. "$MCP_SDK/tool-sdk.sh"

mcp_log_debug talk "looking around"
mcp_log_info talk "found 3 files"
mcp_log_warn talk "one of them is empty"
mcp_log error talk '{"file": "b.txt", "why": "not readable"}'
echo "this line goes to the log of the server" >&2
mcp_emit_text "3 files"
