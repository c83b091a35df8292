#!/usr/bin/env bash
# shellcheck source=/dev/null
. "$MCP_SDK/tool-sdk.sh"

case "$(mcp_args_get .how)" in
exit) # any program that fails: the last line of stderr is the reason
	echo "disk full" >&2
	exit 3
	;;
hint) # a failure that says what to do, for the model
	mcp_error not_found "there is no file notes.txt" --hint "list the files first"
	;;
arguments) # what the schema could not know: an error of JSON-RPC
	mcp_fail_invalid_args "the end is before the beginning"
	;;
error) # an error with a code of its own
	mcp_fail -32001 "the printer is on fire" '{"since":"today"}'
	;;
binary) # bytes that are not text
	printf 'Stra\337e\n'
	;;
slow) # longer than its timeout
	echo "half of it"
	exec sleep 60
	;;
signal) # ended by the system
	kill -KILL "$$"
	;;
esac
