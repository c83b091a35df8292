#!/usr/bin/env bash
# Runs the black-box tests of mcp-bash 1.3.0 against this program, and prints their durations as the
# table of docs/MIGRATING.md.
#
#   e2e/peer-times.sh             all tests
#   e2e/peer-times.sh test...     only the given tests, for example test_tools
#
# The tests are not part of this repository: they are in shared/peer/suite, in a folder above it.
# "suite.sh -h" there lists their requirements.
set -euo pipefail
cd "$(dirname "$0")/.."

above=$PWD
until [ -x "$above/shared/peer/suite/suite.sh" ]; do
	if [ "$above" = / ]; then
		echo "$0: the tests of mcp-bash 1.3.0 are absent: there is no shared/peer/suite in a folder above this one" >&2
		exit 2
	fi
	above=$(dirname "$above")
done
suite=$above/shared/peer/suite

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
go build -trimpath -o "$work/mcp-bash" ./cmd/mcp-bash
"$suite/suite.sh" "$work/mcp-bash" "$@" | tee "$work/told" >&2 || true # those that fail have a row too

echo "<!-- times: printed by \`just peer-times\` -->"
awk '
	FNR == NR { if ($0 !~ /^#/) theirs[$1] = $2; next }
	$1 == "PASS" { rows = rows sprintf("| `%s` | %s s | %s s |\n", $2, theirs[$2], $3); then += theirs[$2]; now += $3 }
	$1 == "FAIL" { rows = rows sprintf("| `%s` | %s s | fails |\n", $2, theirs[$2]); failed++ }
	END {
		if (failed) printf "Of these tests %d fail.\n\n", failed
		printf "| test | mcp-bash 1.3.0 | here |\n|---|---|---|\n%s| all that pass | %.1f s | %.1f s |\n", rows, then, now
	}
' "$suite/times.txt" "$work/told"
echo "<!-- end of times -->"
