#!/usr/bin/env bash
set -euo pipefail
# shellcheck source=/dev/null
. "$MCP_SDK/tool-sdk.sh"

name=$(mcp_args_get .name)
email=$(mcp_args_get .email)
age=$(mcp_args_get .age --default "")
printf '%s\t%s\t%s\n' "$name" "$email" "$age" >>"$MCPBASH_PROJECT_ROOT/new.tsv"
mcp_emit_text "Saved $name."
