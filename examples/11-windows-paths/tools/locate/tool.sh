#!/usr/bin/env bash
# shellcheck source=/dev/null
. "$MCP_SDK/tool-sdk.sh"
. lib/paths.sh

path=$(mcp_args_get .path)
unix=$(unix_path "$path")
mcp_emit_json "$(mcp_json_obj unix "$unix" windows "$(windows_path "$unix")")"
