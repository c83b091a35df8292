#!/usr/bin/env bash
set -euo pipefail
# shellcheck source=/dev/null
. "$MCP_SDK/tool-sdk.sh"

mcp_args_get -v name .name
mcp_args_get -v email .email
mcp_args_get -v age .age --default ""
printf '%s\t%s\t%s\n' "$name" "$email" "$age" >>"$MCPBASH_PROJECT_ROOT/new.tsv"
mcp_emit_text "Saved $name."
