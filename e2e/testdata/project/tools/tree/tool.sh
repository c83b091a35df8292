#!/usr/bin/env bash
# mcp: {"description":"Starts a child, a grandchild and one that leaves the session, and waits"}
# All of them hold the pipe "alive" open: who reads from it sees its end when the last one is gone.
hold="${MCP_TOOL_PATH%/*}/hold.sh"
exec 9>"$MCP_E2E_DIR/alive"
"$hold" child &
(
	"$hold" grandchild &
	exec sleep 300
) &
if command -v setsid >/dev/null; then
	(setsid "$hold" runaway &)
fi
exec "$hold" tool
