#!/usr/bin/env bash
# Runs every fuzz target for a while, one after the other: fuzz.sh [TIME] [PACKAGE…]
# What a target finds is in testdata/fuzz of its package, and makes its tests fail from then on.
set -euo pipefail
cd "$(dirname "$0")/.."
time=${1:-30s}
shift || true
[ $# -gt 0 ] || set -- ./...

failed=()
while read -r package; do
	targets=$(go test -list '^Fuzz' "$package" | grep '^Fuzz' || true)
	for target in $targets; do
		printf '== %s %s\n' "$package" "$target"
		go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" -fuzzminimizetime 1s "$package" </dev/null || failed+=("$package $target")
	done
done < <(go list "$@")

if [ ${#failed[@]} -gt 0 ]; then
	printf 'found something: %s\n' "${failed[@]}" >&2
	exit 1
fi
