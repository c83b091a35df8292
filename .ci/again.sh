#!/usr/bin/env bash
# Runs a compiled test, and once more what failed in it, unless that is much: .ci/again.sh COMMAND...
# It says which tests needed that. They are the next thing to mend.
set -euo pipefail

told=$(mktemp)
trap 'rm -f "$told"' EXIT
"$@" 2>&1 | tee "$told" && exit
mapfile -t failed < <(tr -d '\r' <"$told" | sed -nE 's/^--- FAIL: ([A-Za-z0-9_]+) .*/\1/p')
if [ ${#failed[@]} -eq 0 ] || [ ${#failed[@]} -gt 5 ]; then exit 1; fi
printf 'needs a second run: %s\n' "${failed[@]}"
names=$(IFS='|' && echo "${failed[*]}")
"$@" -test.run "^($names)\$"
