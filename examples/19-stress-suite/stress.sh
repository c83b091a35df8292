#!/usr/bin/env bash
# stress.sh [CALLS] sends that many calls at once to a server, with two that flood it among them,
# and checks that each is answered once.
set -euo pipefail
cd "$(dirname "$0")"
calls=${1:-100}

messages() {
	printf '%s\n' '{"jsonrpc":"2.0","id":"open","method":"initialize","params":{}}' \
		'{"jsonrpc":"2.0","method":"notifications/initialized"}'
	local n
	for ((n = 1; n <= calls; n++)); do
		printf '{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"work","arguments":{"n":%d}}}\n' "$n" "$n"
		((n != calls / 2)) || printf '{"jsonrpc":"2.0","id":"flood %d","method":"tools/call","params":{"name":"flood"}}\n' 1 2
	done
}

answers=$(messages | mcp-bash serve 2>/dev/null)
each=$(grep -c '"text":"call [0-9]*\\n"' <<<"$answers")
twice=$(grep -o '"id":[^,]*' <<<"$answers" | sort | uniq -d)
floods=$(grep '"id":"flood' <<<"$answers" | grep -c '"isError":true')
echo "$each of $calls calls answered, $floods of 2 floods stopped${twice:+, answered twice: $twice}"
[[ $each -eq $calls && $floods -eq 2 && -z $twice ]]
