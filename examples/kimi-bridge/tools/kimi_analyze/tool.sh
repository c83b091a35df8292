#!/usr/bin/env bash
# shellcheck source=/dev/null
. "$MCP_SDK/tool-sdk.sh"
# shellcheck source=/dev/null
. "$MCPBASH_PROJECT_ROOT/lib/kimi.sh"

kimi_begin
kimi_files
context=$(mcp_args_get .context --default "")
role=$(mcp_args_get .role --default general)
kimi_say Context "$context"
kimi_say Role "$role"
kimi_run
