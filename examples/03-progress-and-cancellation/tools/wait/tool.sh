#!/usr/bin/env bash
# shellcheck source=/dev/null
. "$MCP_SDK/tool-sdk.sh"

# A tool that is cancelled gets TERM, and two seconds to clean up.
trap 'rm -f working; exit 143' TERM
: >working
mcp_progress 1 "waiting"
while ! mcp_is_cancelled; do
	sleep 1 &
	wait "$!"
done
