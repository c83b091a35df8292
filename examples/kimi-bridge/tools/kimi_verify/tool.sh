#!/usr/bin/env bash
# shellcheck source=/dev/null
. "$MCP_SDK/tool-sdk.sh"
# shellcheck source=/dev/null
. "$MCPBASH_PROJECT_ROOT/lib/kimi.sh"

kimi_begin
kimi_files
requirements=$(mcp_args_get .requirements --default "")
kimi_say Requirements "$requirements"
kimi_run
