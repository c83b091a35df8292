#!/usr/bin/env bash
# shellcheck source=/dev/null
. "$MCP_SDK/tool-sdk.sh"

mcp_config_load --file config.json
url=$(mcp_args_get '.url // ""')
file=$(mktemp)
trap 'rm -f "$file"' EXIT
result=$(mcp_download_safe --url "${url:-$(mcp_config_get .news)}" --out "$file")
if [[ $(mcp_jq .success "$result") == true ]]; then
	cat "$file"
else
	mcp_jq '"no news: " + .error.message' "$result" >&2
	exit 1
fi
