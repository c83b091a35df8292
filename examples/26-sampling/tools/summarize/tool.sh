#!/usr/bin/env bash
# shellcheck source=/dev/null
. "$MCP_SDK/tool-sdk.sh"

if mcp_client_supports sampling; then
	mcp_sample "Say in one sentence what these notes are about:
$(cat notes.txt)" --system "You are brief." --max-tokens 60
else
	echo "$(wc -l <notes.txt | tr -d ' ') notes, the last: $(tail -n 1 notes.txt)"
fi
