#!/usr/bin/env bash
# Runs the official conformance suite of MCP against a copy of e2e/conformance: all that a revision requires, as the
# suite has frozen it at its release, and the extensions that it knows. mcp-http serves the project once itself, and
# once as mcp-bash serve over stdio.
#
#   e2e/conformance.sh [REVISION...]      2025-11-25 and 2026-07-28
#
# The suite needs Node 22, which the npm package node brings. Both are pinned here and installed
# into a separate folder, CONFORMANCE_DIR or one in the user's cache. The suite's result of each check is
# in the folder that is printed at the end.
set -euo pipefail

suite=@modelcontextprotocol/conformance@0.2.0-alpha.12
node=node@22.23.3

cd "$(dirname "$0")/.."
tools=${CONFORMANCE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/mcp-bash/conformance}
mkdir -p "$tools"
if [ "$(cat "$tools/installed" 2>/dev/null || true)" != "$suite $node" ]; then
	(cd "$tools" && npm install --no-audit --no-fund --no-save --prefix . "$suite" "$node" && echo "$suite $node" >installed)
fi

work=$(mktemp -d)
server=
stop() { test -z "$server" || {
	kill "$server"
	wait "$server"
} 2>/dev/null || :; }
trap 'stop; rm -rf "${work:?}/bin" "${work:?}/project"' EXIT
mkdir "$work/bin"
go build -trimpath -o "$work/bin/" ./cmd/mcp-http ./cmd/mcp-bash

# serve starts a server of the project, over http, or over stdio behind mcp-http.
serve() {
	stop
	rm -rf "${work:?}/project"
	cp -R e2e/conformance "$work/project"
	case $1 in
	http) set -- "$1" --project "$work/project" ;;
	stdio) set -- "$1" -- "$work/bin/mcp-bash" serve -C "$work/project" ;;
	esac
	log=$work/server-$1.log
	shift
	"$work/bin/mcp-http" --listen 127.0.0.1:0 "$@" 2>"$log" &
	server=$!
	until url=$(grep -o 'http://[^ ]*/mcp' "$log"); do
		kill -0 "$server" 2>/dev/null || {
			cat "$log" >&2
			exit 1
		}
		sleep 0.1
	done
}

[ $# -gt 0 ] || set -- 2025-11-25 2026-07-28
failed=0
for over in http stdio; do
	serve "$over"
	for revision in "$@"; do
		# The suite scores what the revision requires. We also count what it runs besides: extensions, such as
		# tasks, and what came after its release.
		run=$work/$revision-$over
		(cd "$work" && "$tools/node_modules/node/bin/node" "$tools/node_modules/@modelcontextprotocol/conformance/dist/index.js" \
			server --url "$url" --requirements "$revision") >"$run.log" 2>&1 || failed=1
		sed -n '/=== SUMMARY ===/,$p' "$run.log" >"$run.summary"
		passed=$(grep -c '^✓ ' "$run.summary" || true)
		all=$(grep -cE '^(✓|✗) ' "$run.summary" || true)
		checks=$(sed -n 's/^Total: //p' "$run.summary")
		[ "$passed" -gt 0 ] && [ "$passed" = "$all" ] || failed=1
		grep -E '^(✓|✗) ' "$run.summary" || tail -n 20 "$run.log"
		echo "$revision over $over: $passed of $all scenarios pass; checks: $checks"
	done
done
echo "details: $work"
exit $failed
