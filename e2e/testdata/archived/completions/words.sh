#!/usr/bin/env bash
set -euo pipefail
# shellcheck disable=SC2016 # $q, $o and $l are variables of jq
"${MCPBASH_JSON_TOOL_BIN}" -c --argjson o "${MCP_COMPLETION_OFFSET}" --argjson l "${MCP_COMPLETION_LIMIT}" '
	.query as $q | ["map", "mail", "memo", "menu", "mint", "moss", "mule"] | map(select(startswith($q)))
	| {suggestions: .[$o:$o + $l], hasMore: (length > $o + $l), next: (if length > $o + $l then $o + $l else null end)}
' <<<"${MCP_COMPLETION_ARGS_JSON}"
