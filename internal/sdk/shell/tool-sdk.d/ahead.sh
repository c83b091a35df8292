# shellcheck shell=bash
# BASH_ENV of a shell that the server starts ahead. It waits here for its call, before it opens
# the script. Then all is as in a shell that was started just now.
#
# shellcheck disable=SC1091

_mcp_first=$_
unset BASH_ENV
[[ ${BASH_VERSINFO[0]} -ge 4 ]] || exit 1 # an older one cannot source a pipe
if [[ -n $_mcp_ahead ]]; then # the script sources the SDK
	MCP_CHANNEL=$_mcp_ahead
	. "$MCP_SDK/tool-sdk.sh"
	set +euo pipefail
	unset MCP_CHANNEL
fi
unset _mcp_ahead MCP_SDK
printf . # ready
. /dev/fd/48
exec 48<&-
[[ -n ${_mcp_go-} ]] || exit 0 # the server has ended
unset _mcp_go
[[ -z ${_mcp_sdk-} ]] || _mcp_open || unset _mcp_sdk
SECONDS=0
# In $_ is the last word of the last command, which must be the one that was there at first.
_mcp_awake() {
	unset _mcp_first
	unset -f _mcp_awake
}
_mcp_awake "$_mcp_first"
