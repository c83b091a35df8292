#!/usr/bin/env bash
set -eu
mkdir -p out
printf 'name,size\nhello,19\n' >out/files.csv

# One file a line: path, MIME type and URI with tabs between. Only the path is
# needed.
printf 'out/files.csv\ttext/csv\treport://files\n' >>"$MCP_TOOL_RESOURCES_FILE"
echo "1 file, see the report"
