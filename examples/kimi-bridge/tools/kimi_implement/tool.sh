#!/usr/bin/env bash
# shellcheck source=/dev/null
. "$MCP_SDK/tool-sdk.sh"
# shellcheck source=/dev/null
. "$MCPBASH_PROJECT_ROOT/lib/kimi.sh"

kimi_begin
kimi_files
constraints=$(mcp_args_get .constraints --default "")
kimi_say Constraints "$constraints"
kimi_run
