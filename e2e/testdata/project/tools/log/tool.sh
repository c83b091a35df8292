#!/usr/bin/env bash
# mcp: {"description":"Logs a message of each of four levels"}
for level in debug info warning error; do
	printf '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"%s","logger":"weather","data":{"said":"%s"}}}\n' "$level" "$level" >>"$MCP_LOG_STREAM"
done
echo "Logged."
