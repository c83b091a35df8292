#!/usr/bin/env bash
# mcp: {"description":"Tells its progress, and in the middle waits for a line from the pipe \"gate\""}
tell() {
	printf '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":%s,"total":%s,"message":"%s"}}\n' "$@" >>"$MCP_PROGRESS_STREAM"
}
tell 1 3 "begun"
if [[ -n ${MCP_E2E_DIR:-} ]]; then
	read -r _ <"$MCP_E2E_DIR/gate"
fi
tell 2 3 "halfway"
tell 1 3 "a step back"
tell 3 3 "done"
echo "All done."
