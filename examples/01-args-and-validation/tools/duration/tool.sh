#!/usr/bin/env bash
set -euo pipefail

# inputSchema lets one thing through: an object with a whole number. Bash cannot
# read JSON, but it can recognise that. It must match all of it: 9e4 is a whole
# number for JSON too, and its first digits are not.
one_number='^[[:space:]]*\{[[:space:]]*"seconds"[[:space:]]*:[[:space:]]*([0-9]+)[[:space:]]*\}[[:space:]]*$'
if [[ ! $MCP_TOOL_ARGS_JSON =~ $one_number ]]; then
	echo "write seconds in digits, as in {\"seconds\": 90000}" >&2
	exit 1
fi
s=${BASH_REMATCH[1]}

printf '{"days":%d,"hours":%d,"minutes":%d,"seconds":%d}\n' \
	$((s / 86400)) $((s / 3600 % 24)) $((s / 60 % 60)) $((s % 60))
