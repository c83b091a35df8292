#!/usr/bin/env bash
# Runs the official conformance suite of MCP against mcp-http, which serves a copy of
# e2e/conformance: all that a revision requires, as the suite has frozen it at its release.
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
trap 'test -z "$server" || { kill "$server"; wait "$server"; } 2>/dev/null; rm -rf "${work:?}/bin" "${work:?}/project"' EXIT
mkdir "$work/bin"
go build -trimpath -o "$work/bin/" ./cmd/mcp-http ./cmd/mcp-bash
cp -R e2e/conformance "$work/project"
"$work/bin/mcp-http" --project "$work/project" --listen 127.0.0.1:0 2>"$work/server.log" &
server=$!
until url=$(grep -o 'http://[^ ]*/mcp' "$work/server.log"); do
	kill -0 "$server" 2>/dev/null || {
		cat "$work/server.log" >&2
		exit 1
	}
	sleep 0.1
done

[ $# -gt 0 ] || set -- 2025-11-25 2026-07-28
failed=0
for revision in "$@"; do
	# The frozen list decides: the suite ends with 1 if anything that the revision requires fails.
	says=conforms
	(cd "$work" && "$tools/node_modules/node/bin/node" "$tools/node_modules/@modelcontextprotocol/conformance/dist/index.js" \
		server --url "$url" --requirements "$revision") >"$work/$revision.log" 2>&1 || {
		says="does not conform"
		failed=1
	}
	sed -n '/=== SUMMARY ===/,$p' "$work/$revision.log" >"$work/$revision.summary"
	scenarios=$(grep -cE '^(✓|✗) ' "$work/$revision.summary" || true)
	extra=$(sed -n 's/^Not scored for .*: \([0-9]*\) scenario.*/\1/p' "$work/$revision.summary")
	echo "$revision: $says; it requires $((scenarios - ${extra:-0})) scenarios, and ${extra:-0} others were run"
	cat "$work/$revision.summary"
done
echo "details: $work"
exit $failed
