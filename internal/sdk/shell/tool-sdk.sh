# shellcheck shell=bash
# The shell SDK of mcp-bash. A tool begins with it:
#
#	#!/usr/bin/env bash
#	. "$MCP_SDK/tool-sdk.sh"
#
# docs/SDK.md explains the helpers, docs/SDK-PROTOCOL.md how they reach the server. They
# start no process, so they work with any PATH. By hand, without a server, the arguments
# come from MCP_TOOL_ARGS_JSON and mcp-bash is started for each helper (tool-sdk.d/byhand.sh).
#
# All of this runs in Bash 3.2. All names in _mcp_* are internal.

set -euo pipefail
if [[ -n ${_mcp_sdk-} ]]; then # again
	[[ -z $_mcp_sized ]] || ! trap -p EXIT ERR >&- 2>/dev/null || _mcp_trap
	return 0
fi
case ${BASH_SOURCE[0]} in
/*) _mcp_sdk=${BASH_SOURCE[0]%/*} ;;
*/*) _mcp_sdk=$PWD/${BASH_SOURCE[0]%/*} ;;
*) _mcp_sdk=$PWD ;;
esac

# --- the channel: MCP_CHANNEL=1:FIRST_DESCRIPTOR:FOLDER

_mcp_nl=$'\n'
_mcp_mark=$'\036' # begins every reply
_mcp_serial=0
_mcp_token=   # not empty: this process holds the lock
_mcp_request= # the descriptor for requests; empty: there is no server
_mcp_sized=   # "#": replies say how long they are, so that read -N takes them at once
_mcp_args=    # filters with known values: that of .x is _mcp_arg_x, its kind _mcp_is_x
_mcp_kind='' _mcp_code=0 _mcp_value=''

# _mcp_load FILE reads what few tools need.
_mcp_load() {
	# shellcheck source=/dev/null
	. "$_mcp_sdk/$1"
}

# _mcp_from FILE FUNCTION [ARGUMENT...] reads a helper that few tools need, and calls it. In Bash 3.2
# "${@:2}" is one word if IFS has no blank; after a shift, "$@" never is.
_mcp_from() {
	_mcp_load "$1"
	shift
	"$@"
}

# _mcp_rare FUNCTION [ARGUMENT...] calls a function that is not needed while all goes well.
_mcp_rare() {
	_mcp_load tool-sdk.d/rare.sh # which replaces this function, too
	"$@"
}

if [[ ${MCP_CHANNEL-} == 1:* ]]; then
	_mcp_dir=${MCP_CHANNEL#1:}
	_mcp_request=${_mcp_dir%%:*} _mcp_dir=${_mcp_dir#*:}
	{ true >&"$_mcp_request"; } 2>/dev/null || _mcp_request= # a parent of this process closed it
fi
if [[ -n $_mcp_request ]]; then
	_mcp_replies=$((_mcp_request + 2)) _mcp_lock=$((_mcp_request + 3)) _mcp_unlock=$((_mcp_request + 4))
	# Bash before 4.1 has no read -N, and with --posix it reads byte by byte too.
	if [[ -o posix || ${BASH_VERSINFO[0]} -lt 4 || ${BASH_VERSION%.*} == 4.0 ]]; then
		_mcp_rare :
	else
		_mcp_sized='#'
	fi
	[[ -z ${MCP_TOOL_ARGS_SHELL-} || $- == *x* ]] || eval "$MCP_TOOL_ARGS_SHELL"
	_mcp_quiet=' 2>/dev/null'
else
	_mcp_load tool-sdk.d/byhand.sh
	_mcp_quiet= # the place of a failure goes to stderr
fi

# _mcp_trap sets traps that report which command ended the tool. They change nothing else, not
# even the -x output in a server.
#
# shellcheck disable=SC2064 # the text is below
_mcp_trap() {
	trap "$_mcp_on_err" ERR
	# In an older bash, an EXIT trap sets the code to 0 after an unbound variable.
	[[ ${BASH_VERSINFO[0]} -lt 4 ]] || trap "$_mcp_on_exit" EXIT
}
# shellcheck disable=SC2016 # for later
_mcp_on_err='{ case $- in *e*) _mcp_rare _mcp_failed "$?" "$LINENO" "${#PIPESTATUS[@]}" "$BASH_COMMAND" || : ;; esac; }'$_mcp_quiet
# shellcheck disable=SC2016
_mcp_on_exit='{ case $? in 0) ;; *) _mcp_rare _mcp_ended "$?" "${#PIPESTATUS[@]}" "$BASH_COMMAND" || : ;; esac; }'$_mcp_quiet

# _mcp_call OPERATION [ARGUMENT...] sets _mcp_kind, _mcp_code and _mcp_value. They should be local to the caller: a
# trap may come before they are used, and call helpers too.
_mcp_call() {
	local number="${BASHPID:-$RANDOM$RANDOM}.$((++_mcp_serial))" all="$*" how
	# A request is a line that is written in one piece. Long or multi-line values go through
	# a file.
	if [[ -z $_mcp_request ]]; then
		_mcp_byhand "$@"
	elif ((${#all} + $# <= 400)) && [[ $all != *"$_mcp_nl"* ]]; then
		_mcp_ask "$@"
	elif printf '%s\0' "$@" >|"$_mcp_dir/sdk.$number"; then
		_mcp_ask @
	else
		_mcp_kind=e _mcp_code=1 _mcp_value="cannot write to $_mcp_dir"
	fi
}

# _mcp_ask FIELD... sends a request and reads the answer. Uses number and how of its caller.
# Only the beginning of a reply is read with a timeout: the rest is there then, and a timeout
# costs system calls for every character.
_mcp_ask() {
	local head='' text=''
	if [[ -n $_mcp_token ]]; then # a trap came while we, or the shell that forked us, hold the lock
		_mcp_rare _mcp_ask_aside "$@"
		return 0
	fi
	IFS= read -r -t 2 -n 1 -u "$_mcp_lock" _mcp_token || _mcp_token=
	[[ $_mcp_token == [!x] ]] || _mcp_rare _mcp_wait || return 0
	printf '\0%s' "$_mcp_token$_mcp_sized" "$number" "$@" "$_mcp_nl" >&"$_mcp_request"
	if [[ -n $_mcp_sized ]] &&
		IFS= read -r -t 2 -N 5 -u "$_mcp_replies" head && # from Bash 4.1 on
		[[ $head == "$_mcp_mark"[0-9][0-9][0-9][0-9] && $head != *0000 ]] &&
		IFS= read -r -N "$((10#${head#?}))" -u "$_mcp_replies" text && # from Bash 4.1 on
		[[ $text == "$number "* ]]; then
		local at=${#number} # text is NUMBER KIND HOW CODE VALUE NEWLINE
		_mcp_kind=${text:at+1:1} how=${text:at+3:1} _mcp_code=${text:at+5:3} _mcp_code=${_mcp_code%% *}
		at=$((at + 6 + ${#_mcp_code}))
		_mcp_value=${text:at:${#text}-at-1}
	elif ! _mcp_rare _mcp_hear; then
		how=-
	fi
	if [[ $_mcp_kind == v ]]; then # our token was lost and replaced
		_mcp_token=
		_mcp_rare _mcp_repeat "$@"
		how=-
	else
		printf %s "$_mcp_token" >&"$_mcp_unlock"
		_mcp_token=
	fi
	[[ $how == - ]] || _mcp_rare _mcp_fetch
}

# _mcp_do OPERATION [ARGUMENT...] runs an operation and prints its value. The operation can be followed by a
# space and what is needed from the shell, such as its folder.
_mcp_do() { _mcp_run '' "$@"; }

# _mcp_into OPERATION [-v NAME] [ARGUMENT...] is _mcp_do for helpers that can set a variable instead. It is
# only for those whose first argument is never data: a client that sent "-v" could choose the variable.
_mcp_into() {
	if [[ ${2-} != -v ]]; then
		_mcp_run '' "$@"
		return "$?"
	fi
	_mcp_settable "${3-}" || _mcp_rare _mcp_unsettable "${3-}" || return "$?"
	local _mcp_operation="$1" _mcp_name="$3"
	shift 3
	_mcp_run "$_mcp_name" "$_mcp_operation" "$@"
}

# _mcp_settable NAME reports whether a variable, or an element of an array, can be set by its name without
# running what is in it.
_mcp_settable() {
	local name="$1" at=0
	if [[ $name == *"["*"]" ]]; then
		at=${name#*"["} at=${at%"]"} name=${name%%"["*}
	fi
	[[ -n $at && $name == [A-Za-z_]* && $name$at != *[!A-Za-z0-9_]* ]]
}

# _mcp_run VARIABLE OPERATION [ARGUMENT...] runs an operation, and prints its value or sets a variable.
# Tracing is off meanwhile: the arguments of a call may be secret.
_mcp_run() {
	if [[ $- == *x* ]]; then
		set +x
		_mcp_rare _mcp_untraced "$@"
		return "$?"
	fi
	local _mcp_var="$1" _mcp_kind _mcp_code _mcp_value
	shift
	_mcp_call "$@"
	[[ $_mcp_kind == [on] ]] || _mcp_rare _mcp_odd "$@"
	case $_mcp_kind${_mcp_var:+v} in
	o) printf '%s\n' "$_mcp_value" ;;
	ov) printf -v "$_mcp_var" %s "$_mcp_value" ;;
	nv) printf -v "$_mcp_var" %s '' ;;
	esac
	return "$_mcp_code"
}

# _mcp_known KINDS [-v NAME] FILTER [...] returns the value of a filter without the server, if
# known and of one of KINDS; see MCP_TOOL_ARGS_SHELL in docs/SDK-PROTOCOL.md.
_mcp_known() {
	local _mcp_kinds="$1" _mcp_var=
	if [[ ${2-} == -v ]]; then
		_mcp_var=${3-}
		_mcp_settable "$_mcp_var" || return 1 # which is then reported
		shift 2
	fi
	# Other options need the server.
	[[ -n ${2-} && $_mcp_args == *" $2 "* && $2 != *' '* && $- != *x* &&
		($# -eq 2 || $# -eq 4 && $3 == --default || $_mcp_kinds == tbi) ]] || return 1
	local _mcp_is="_mcp_is_${2#.}" _mcp_name="_mcp_arg_${2#.}"
	[[ -n ${!_mcp_is-} && $_mcp_kinds == *"${!_mcp_is}"* ]] || return 1 # not if the case differs
	if [[ -n $_mcp_var ]]; then
		printf -v "$_mcp_var" %s "${!_mcp_name}"
	else
		printf '%s\n' "${!_mcp_name}"
	fi
}

# --- arguments

mcp_args_raw() { _mcp_into args_raw "$@"; }
mcp_args_get() { _mcp_known tebi "$@" || _mcp_into args_get "$@"; }
mcp_args_require() { _mcp_known tbi "$@" || _mcp_into args_require "$@"; }
mcp_args_bool() { _mcp_known b "$@" || _mcp_into args_bool "$@"; }
mcp_args_int() { _mcp_known i "$@" || _mcp_into args_int "$@"; }
mcp_meta_raw() { _mcp_into meta_raw "$@"; }
mcp_meta_get() { _mcp_into meta_get "$@"; }

# --- JSON

mcp_jq() { _mcp_into jq "$@"; }
mcp_json_escape() { _mcp_do json_escape "$@"; }
mcp_json_obj() { _mcp_do json_obj "$@"; }
mcp_json_arr() { _mcp_do json_arr "$@"; }
mcp_json_truncate() { _mcp_do json_truncate "$@"; }
mcp_is_valid_json() { _mcp_do is_valid_json "${1-}"; }
mcp_byte_length() { _mcp_rare _mcp_byte_length "$@"; }

# --- results

mcp_emit_text() { printf %s "${1-}"; }
mcp_emit_json() { _mcp_do emit_json "${1-}"; }
mcp_result_success() { _mcp_do "result_success ${MCPBASH_MAX_TEXT_BYTES:-102400}" "$@"; }
mcp_result_error() { _mcp_do result_error "$@"; }
mcp_error() { _mcp_do error "$@"; }
mcp_fail() { _mcp_rare _mcp_fail "$@"; }
mcp_fail_invalid_args() { _mcp_rare _mcp_fail_invalid_args "$@"; }
mcp_extract_cli_error() { _mcp_do extract_cli_error "$@"; }
mcp_result_text_with_resource() { _mcp_rare _mcp_result_text_with_resource "$@"; }

# --- while the tool works

mcp_progress() { _mcp_do progress "$@"; }
mcp_log() { _mcp_do log "$@"; }
mcp_log_debug() { _mcp_do 'log_text debug' "$@"; }
mcp_log_info() { _mcp_do 'log_text info' "$@"; }
mcp_log_warn() { _mcp_do 'log_text warning' "$@"; }
mcp_log_error() { _mcp_do 'log_text error' "$@"; }
mcp_debug() { [ -z "${MCPBASH_DEBUG_LOG-}" ] || _mcp_rare _mcp_debug "$@"; }
mcp_is_cancelled() { [ -n "${MCP_CANCEL_FILE-}" ] && [ -e "$MCP_CANCEL_FILE" ]; }
mcp_with_retry() { _mcp_from tool-sdk.d/run.sh mcp_with_retry "$@"; }
mcp_run_with_progress() { _mcp_from tool-sdk.d/run.sh mcp_run_with_progress "$@"; }

# --- paths

mcp_roots_list() { _mcp_into roots_list "$@"; }
mcp_roots_count() { _mcp_into roots_count "$@"; }
mcp_roots_contains() { _mcp_rare _mcp_here roots_contains "$@"; }
mcp_require_path() { _mcp_rare _mcp_require_path "$@"; }
mcp_path_normalize() { _mcp_rare _mcp_here path_normalize "$@"; }
mcp_path_collapse() { _mcp_do path_collapse "$@"; }

# --- the user and the client's model

mcp_elicit() { _mcp_rare _mcp_timed elicit "$@"; }
mcp_elicit_url() { _mcp_rare _mcp_timed elicit_url "$@"; }
mcp_elicit_string() { _mcp_rare _mcp_timed elicit_string "$@"; }
mcp_elicit_confirm() { _mcp_rare _mcp_timed elicit_confirm "$@"; }
mcp_elicit_choice() { _mcp_rare _mcp_timed elicit_choice "$@"; }
mcp_elicit_titled_choice() { _mcp_rare _mcp_timed elicit_titled_choice "$@"; }
mcp_elicit_multi_choice() { _mcp_rare _mcp_timed elicit_multi_choice "$@"; }
mcp_elicit_titled_multi_choice() { _mcp_rare _mcp_timed elicit_titled_multi_choice "$@"; }
mcp_sample() { _mcp_do sample "$@"; }
mcp_ask() { _mcp_rare _mcp_ask_all "$@"; }
mcp_client_supports() { _mcp_do client_supports "${1-}"; }
mcp_require_capability() { _mcp_rare _mcp_require_capability "$@"; }

# --- configuration, downloads

mcp_config_load() { _mcp_from tool-sdk.d/config.sh mcp_config_load "$@"; }
mcp_config_get() { _mcp_rare _mcp_config_get "$@"; }
mcp_download_safe() { _mcp_rare _mcp_download download_safe "$@"; }
mcp_download_safe_or_fail() { _mcp_rare _mcp_download download_safe_or_fail "$@"; }

# --- user interfaces

mcp_client_supports_ui() { _mcp_from ui-sdk.sh mcp_client_supports_ui "$@"; }
mcp_result_with_ui() { _mcp_from ui-sdk.sh mcp_result_with_ui "$@"; }
mcp_result_with_ui_data() { _mcp_from ui-sdk.sh mcp_result_with_ui_data "$@"; }
mcp_tool_meta_with_ui() { _mcp_from ui-sdk.sh mcp_tool_meta_with_ui "$@"; }
mcp_ui_form() { _mcp_from ui-sdk.sh mcp_ui_form "$@"; }
mcp_ui_table() { _mcp_from ui-sdk.sh mcp_ui_table "$@"; }

# --- the place of a failure, unless the tool has traps itself. Functions do not see those at ERR.

if [[ -n $_mcp_sized ]]; then
	! trap -p EXIT ERR >&- 2>/dev/null || _mcp_trap # it fails if it has something to print
elif [[ -n $_mcp_request ]]; then
	{ trap -p EXIT ERR >|"$_mcp_dir/sdk.traps"; } 2>/dev/null || :
	! _mcp_rare _mcp_untrapped || _mcp_trap
else
	_mcp_value=$(trap -p EXIT ERR)
	! _mcp_rare _mcp_untrapped || _mcp_trap
fi
