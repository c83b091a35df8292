#!/usr/bin/env bash
# Takes the effect of each door of each stage away, one at a time, and fails where
# the tests of middleware do not notice. The files of the repository stay as they
# are: go test -overlay shows the changed one to the compiler.
set -euo pipefail
cd "$(dirname "$0")/.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
survived=0 mutants=0
for file in middleware/*.go; do
	[[ $file != *_test.go ]] || continue
	grep -q '^func [A-Z].*) pipeline\.Middleware {$' "$file" || continue
	for door in Inbound Outbound; do
		grep -q "$door:" "$file" || continue
		mutants=$((mutants + 1))
		sed "s/^\(func [A-Z].*)\) pipeline\.Middleware {\$/\1 (stage pipeline.Middleware) {\n\tdefer func() { stage.$door = nil }()/" "$file" >"$work/mutant.go"
		printf '{"Replace":{"%s":"%s"}}' "$PWD/$file" "$work/mutant.go" >"$work/overlay.json"
		go build -overlay "$work/overlay.json" ./middleware # else any mutant would look found
		if timeout 30 go test -short -overlay "$work/overlay.json" ./middleware >"$work/log" 2>&1; then
			echo "$file: no test notices that $door does nothing" >&2
			survived=$((survived + 1))
		fi
	done
done
echo "$mutants doors taken out, $survived not noticed"
[ "$mutants" -ge 14 ] && [ "$survived" -eq 0 ]
