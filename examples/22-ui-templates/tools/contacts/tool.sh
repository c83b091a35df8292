#!/usr/bin/env bash
set -euo pipefail

cd "$MCPBASH_PROJECT_ROOT"
touch new.tsv
jq -Rnc '{rows: [inputs | split("\t") | {name: .[0], email: .[1], age: (.[2] | tonumber? // null)}]}' contacts.tsv new.tsv
