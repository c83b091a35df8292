#!/usr/bin/env bash
set -euo pipefail
# shellcheck source=/dev/null
. "$MCP_SDK/tool-sdk.sh"

name=$(mcp_args_get .name)
email=$(mcp_args_get .email)
age=$(mcp_args_get .age --default "")
contact=$(printf '%s\t%s\t%s' "$name" "$email" "$age")
grep -qsxF -- "$contact" "$MCPBASH_PROJECT_ROOT/new.tsv" || # pressed twice, saved once
	printf '%s\n' "$contact" >>"$MCPBASH_PROJECT_ROOT/new.tsv"
mcp_emit_text "Saved $name."
