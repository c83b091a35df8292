#!/usr/bin/env bash
# shellcheck source=/dev/null
. "$MCP_SDK/tool-sdk.sh"

# A schema's whole number may be written 9e4 or 93784.0; mcp_args_int prints it in digits.
s=$(mcp_args_int .seconds)

printf '{"days":%d,"hours":%d,"minutes":%d,"seconds":%d}\n' \
	$((s / 86400)) $((s / 3600 % 24)) $((s / 60 % 60)) $((s % 60))
