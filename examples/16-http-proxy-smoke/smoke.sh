#!/usr/bin/env bash
# Talks to a project over HTTP with nothing but curl, and shows what the transport does:
#
#   ./smoke.sh              serves this project
#   ./smoke.sh COMMAND...   serves any MCP server that speaks stdio
set -euo pipefail

log=$(mktemp)
# A response becomes a stream of events if it takes longer than this; here each is to be one line.
with=(--listen 127.0.0.1:0 --stream-after 1m)
if [ $# -eq 0 ]; then
	mcp-http "${with[@]}" --project . 2>"$log" &
else
	mcp-http "${with[@]}" -- "$@" 2>"$log" &
fi
server=$!
trap 'kill "$server" 2>/dev/null; wait "$server" 2>/dev/null; rm -f "$log"' EXIT
until url=$(grep -o 'http://[^ ]*/mcp' "$log"); do
	kill -0 "$server" 2>/dev/null || {
		cat "$log" >&2
		exit 1
	}
	sleep 0.1
done

# request NAME METHOD [curl argument...]: prints the name, the status and the body.
request() {
	local name=$1 method=$2
	shift 2
	printf '%s: ' "$name"
	curl -s -X "$method" -w ' (%{http_code})\n' -D "$log.headers" "$url" \
		-H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream' "$@"
}

# A session, as clients up to 2025-11-25 have it.
request initialize POST -d '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"smoke","version":"1"}}}'
session=$(tr -d '\r' <"$log.headers" | awk 'tolower($1) == "mcp-session-id:" { print $2 }')
in_session=(-H "Mcp-Session-Id: $session" -H 'MCP-Protocol-Version: 2025-11-25')
request initialized POST "${in_session[@]}" -d '{"jsonrpc":"2.0","method":"notifications/initialized"}'
request tools/call POST "${in_session[@]}" -d '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"hello"}}'
request 'without a session' POST -d '{"jsonrpc":"2.0","id":3,"method":"tools/list"}'
request DELETE DELETE "${in_session[@]}"
request 'after that' POST "${in_session[@]}" -d '{"jsonrpc":"2.0","id":4,"method":"tools/list"}'

# A request that stands alone, as clients of 2026-07-28 have it.
request '2026-07-28' POST -H 'MCP-Protocol-Version: 2026-07-28' -H 'Mcp-Method: tools/call' -H 'Mcp-Name: hello' \
	-d '{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"hello","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}'

# A web page of somebody else's.
request 'another origin' POST -H 'Origin: https://evil.example' -d '{}'
rm -f "$log.headers"
