#!/usr/bin/env bash
set -eu

# Each line in this stream is a progress notification. With
# "progressExtendsTimeout" each also starts the timeout anew.
for i in 1 2 3 4 5 6 7; do
	printf '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":%d,"total":7}}\n' "$i" >>"$MCP_PROGRESS_STREAM"
	sleep 0.6
done
echo "done, after more time than one timeout"
