#!/usr/bin/env bash
# shellcheck source=/dev/null
. "$MCP_SDK/tool-sdk.sh"
# shellcheck source=/dev/null
. "$MCPBASH_PROJECT_ROOT/lib/kimi.sh"

kimi_begin
kimi_files
if [[ $(mcp_args_bool .safety_checks --default true) == true ]]; then
	kimi_say "Safety checks" "keep the behaviour as it is, run the tests that there are, and say what could break."
fi
kimi_run
