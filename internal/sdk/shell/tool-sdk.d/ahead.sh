# shellcheck shell=bash
# BASH_ENV of a shell that the server starts ahead. It waits here for its call, before it opens
# the script. Then everything is as in a newly started shell.
#
# shellcheck disable=SC1091,SC2034,SC2154

_mcp_first=$_
unset BASH_ENV
[[ ${BASH_VERSINFO[0]} -ge 4 ]] || exit 1 # an older one cannot source a pipe

# _mcp_rehearse sends a request that only this shell answers, through pipes without another reader
# yet. Whatever bash does for the first time takes several times as long.
_mcp_rehearse() {
	local reply="$$.1 n - 0 " line
	printf -v line '%s%04d%s' "$_mcp_mark" $((${#reply} + 1)) "$reply"
	printf '%s\n' "$line" >&"$_mcp_request"
	printf a >&"$_mcp_unlock"
	_mcp_replies=$((_mcp_request + 1))
	_mcp_args=' .x ' _mcp_is_x=t _mcp_arg_x=x
	mcp_args_get -v line .x
	_mcp_into rehearse -v line
	IFS= read -r -u "$_mcp_replies" line # the request
	IFS= read -r -n 1 -u "$_mcp_lock" line
	unset _mcp_is_x _mcp_arg_x
	# Bash asks the system once per signal for its original handling.
	trap -p EXIT ERR >&- 2>/dev/null || :
	_mcp_trap
	trap - EXIT ERR
	_mcp_args='' _mcp_token='' _mcp_kind='' _mcp_code=0 _mcp_serial=0
	_mcp_replies=$((_mcp_request + 2))
}

if [[ $_mcp_ahead == 1 ]]; then # the script sources the SDK
	. "$MCP_SDK/tool-sdk.sh"
	set +euo pipefail
	[[ -z $_mcp_sized ]] || _mcp_rehearse
fi

# _mcp_awake WORD is called when the call has come.
_mcp_awake() {
	[[ -z ${_mcp_sdk-} || -z ${MCP_TOOL_ARGS_SHELL-} ]] || eval "$MCP_TOOL_ARGS_SHELL"
	unset _mcp_go _mcp_first
	unset -f _mcp_awake
	SECONDS=0
}

unset _mcp_ahead
unset -f _mcp_rehearse
printf . # ready
. /dev/fd/48
exec 48<&-
[[ -n ${_mcp_go-} ]] || exit 0 # the server has ended
_mcp_awake "$_mcp_first"       # which is in $_ then, as at first
