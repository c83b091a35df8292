#!/usr/bin/env bash
# shellcheck source=/dev/null
. "$MCP_SDK/tool-sdk.sh"

# inputSchema has let a whole number through. JSON may write it as 9e4 or 93784.0: mcp_args_int
# prints it in digits.
s=
mcp_args_int -v s .seconds

printf '{"days":%d,"hours":%d,"minutes":%d,"seconds":%d}\n' \
	$((s / 86400)) $((s / 3600 % 24)) $((s / 60 % 60)) $((s % 60))
