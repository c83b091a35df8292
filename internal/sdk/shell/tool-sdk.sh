# shellcheck shell=bash
# The shell SDK of mcp-bash. A tool begins with it:
#
#	#!/usr/bin/env bash
#	. "$MCP_SDK/tool-sdk.sh"
#
# docs/SDK.md explains the helpers, docs/SDK-PROTOCOL.md how they reach the server. They
# start no process, so they work with any PATH. By hand, without a server, the arguments
# come from MCP_TOOL_ARGS_JSON and tool-sdk.d/byhand.sh does what it can.
#
# All of this is Bash 3.2. Everything called _mcp_* is none of a tool's business.

set -euo pipefail
[ -z "${_mcp_sdk-}" ] || return 0
case ${BASH_SOURCE[0]} in
/*) _mcp_sdk=${BASH_SOURCE[0]%/*} ;;
*/*) _mcp_sdk=$PWD/${BASH_SOURCE[0]%/*} ;;
*) _mcp_sdk=$PWD ;;
esac

# --- the channel: MCP_CHANNEL=1:FIRST_DESCRIPTOR:FOLDER

_mcp_nl=$'\n'
_mcp_mark=$'\036' # begins every reply, and is in no other place
_mcp_serial=0
_mcp_token=
_mcp_holds= # not empty: this process holds the lock
_mcp_request=
_mcp_kind='' _mcp_code=0 _mcp_value=''

_mcp_open() {
	local rest="${MCP_CHANNEL#1:}"
	[ "$rest" != "${MCP_CHANNEL-}" ] || return 1
	local first="${rest%%:*}"
	_mcp_dir=${rest#*:}
	_mcp_replies=$((first + 2)) _mcp_lock=$((first + 3)) _mcp_unlock=$((first + 4))
	{ true >&"$first"; } 2>/dev/null || return 1 # closed on the way to this process
	_mcp_request=$first
}

if [ -z "${MCP_CHANNEL-}" ] || ! _mcp_open; then
	# shellcheck source=/dev/null
	. "$_mcp_sdk/tool-sdk.d/byhand.sh"
fi

# _mcp_call OPERATION [ARGUMENT...] sets _mcp_kind, _mcp_code and _mcp_value.
_mcp_call() {
	_mcp_serial=$((_mcp_serial + 1))
	local number="${BASHPID:-$RANDOM$RANDOM}.$_mcp_serial" all="$*" how
	# A request is a line that is written in one piece. What is long, or has lines of its
	# own, goes through a file.
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

# _mcp_ask FIELD... sends a request and takes the answer. Uses number and how of its caller.
_mcp_ask() {
	local nested="$_mcp_holds"
	if [[ -z $nested ]]; then # else a trap came while we hold the lock
		_mcp_take || return 0
	fi
	printf '\0%s' "$_mcp_token" "$number" "$@" "$_mcp_nl" >&"$_mcp_request"
	if ! _mcp_hear; then
		how=-
	elif [[ $_mcp_kind == v ]]; then # our token was lost and replaced
		_mcp_holds=
		_mcp_ask "$@"
		return
	fi
	if [[ -z $nested ]]; then
		printf %s "$_mcp_token" >&"$_mcp_unlock"
		_mcp_holds=
	fi
	[[ $how == - ]] || _mcp_fetch
}

# _mcp_take takes the token out of the lock.
_mcp_take() {
	local rounds=0
	until IFS= read -r -t 2 -n 1 -u "$_mcp_lock" _mcp_token; do
		if ((++rounds > 30)); then
			_mcp_kind=e _mcp_code=1 _mcp_value='mcp-bash does not answer'
			return 1
		fi
		printf '\0%s' '?' "$_mcp_nl" >&"$_mcp_request" # is its holder still there?
	done
	if [[ $_mcp_token == x ]]; then
		printf x >&"$_mcp_unlock"
		_mcp_gone
		return
	fi
	_mcp_holds=1
}

_mcp_gone() {
	_mcp_kind=e _mcp_code=1 _mcp_value='mcp-bash is gone, so nobody can answer'
	return 1
}

# _mcp_hear reads the reply to number. Only its first byte is waited for with a limit: then
# the rest is there, and to read with a limit costs four times as much.
_mcp_hear() {
	local first id status=0 began="$SECONDS" rounds=0
	while :; do
		IFS= read -r -t 2 -n 1 -u "$_mcp_replies" first || status=$?
		if ((status == 0)); then
			[[ -n $first ]] || continue
			IFS=' ' read -r -u "$_mcp_replies" id _mcp_kind how _mcp_code _mcp_value || status=$?
			[[ $first$id:$status != "$_mcp_mark$number:0" ]] || return 0
			# Else it is the reply to somebody who was killed, or the rest of one.
			((status != 0)) || continue
		fi
		# Bash 3.2 does not tell the end of file from time that is over.
		if ((status <= 128 && SECONDS - began < 1)); then
			_mcp_token=x
			_mcp_gone
			return
		fi
		if ((++rounds > 30)); then
			_mcp_kind=e _mcp_code=1 _mcp_value='mcp-bash does not answer'
			return 1
		fi
		printf '\0%s' "$_mcp_token" "$number" ! "$_mcp_nl" >&"$_mcp_request"
		began=$SECONDS status=0
	done
}

# _mcp_fetch gets what a reply only names: a FIFO from which the answer will come (w), a
# short file (s), a long one (l).
_mcp_fetch() {
	local file="$_mcp_value" as="$how" id
	how=-
	case $as in
	w)
		if ! IFS=' ' read -r id _mcp_kind how _mcp_code _mcp_value <"$_mcp_dir/$file"; then
			_mcp_ask ! # interrupted, or the server is gone: how does it stand?
			return
		fi
		;;
	s) IFS= read -r -d '' _mcp_value <"$_mcp_dir/$file" ;;
	l)
		_mcp_value=$(<"$_mcp_dir/$file")
		_mcp_value=${_mcp_value%.} # guards newlines at the end
		;;
	esac
	printf '\0%s' - "$file" "$_mcp_nl" >&"$_mcp_request"
	[[ $how == - ]] || _mcp_fetch
}

# _mcp_do OPERATION [-v NAME] [ARGUMENT...] does what its answer says. After the name of
# the operation, and a blank, stands what it must know of the shell, such as its folder.
# Tracing stops for it: the arguments of a call may be secret.
_mcp_do() {
	case $- in
	*x*) ;;
	*)
		_mcp_act "$@"
		return
		;;
	esac
	set +x
	local _mcp_status=0
	_mcp_act "$@" || _mcp_status=$?
	set -x
	return "$_mcp_status"
}

_mcp_act() {
	local _mcp_var=
	if [[ ${2-} == -v ]]; then
		_mcp_var=${3-}
		set -- "$1" "${@:4}"
	fi
	_mcp_call "$@"
	if [[ $_mcp_kind == i ]]; then
		_mcp_value=$(</dev/stdin)
		_mcp_call "$@" "$_mcp_value"
	fi
	case $_mcp_kind in
	o)
		if [[ -n $_mcp_var ]]; then
			printf -v "$_mcp_var" %s "$_mcp_value"
		else
			printf '%s\n' "$_mcp_value"
		fi
		;;
	n) [[ -z $_mcp_var ]] || printf -v "$_mcp_var" %s '' ;;
	e) printf '%s: %s\n' "${FUNCNAME[2]}" "$_mcp_value" >&2 ;;
	f) _mcp_end ;;
	esac
	return "$_mcp_code"
}

# _mcp_end ends the tool with the error in _mcp_value: its JSON, a newline, its message.
_mcp_end() {
	local json="${_mcp_value%%"$_mcp_nl"*}"
	[ -z "${MCP_TOOL_ERROR_FILE-}" ] || printf '%s\n' "$json" >|"$MCP_TOOL_ERROR_FILE"
	printf '%s\n' "$json"
	printf '%s\n' "${_mcp_value#*"$_mcp_nl"}" >&2
	exit 1
}

# _mcp_load FILE reads helpers that few tools need.
_mcp_load() {
	# shellcheck source=/dev/null
	. "$_mcp_sdk/$1"
}

# --- arguments

mcp_args_raw() { _mcp_do args_raw "$@"; }
mcp_args_get() { _mcp_do args_get "$@"; }
mcp_args_require() { _mcp_do args_require "$@"; }
mcp_args_bool() { _mcp_do args_bool "$@"; }
mcp_args_int() { _mcp_do args_int "$@"; }
mcp_meta_raw() { _mcp_do meta_raw "$@"; }
mcp_meta_get() { _mcp_do meta_get "$@"; }

# --- JSON

mcp_jq() { _mcp_do jq "$@"; }
mcp_json_escape() { _mcp_do json_escape "$@"; }
mcp_json_obj() { _mcp_do json_obj "$@"; }
mcp_json_arr() { _mcp_do json_arr "$@"; }
mcp_json_truncate() { _mcp_do json_truncate "$@"; }
mcp_is_valid_json() { _mcp_do is_valid_json "${1-}"; }
mcp_byte_length() (
	LC_ALL=C text=${1-}
	printf '%s\n' "${#text}"
)

# --- results

mcp_emit_text() { printf '%s\n' "${1-}"; }
mcp_emit_json() {
	_mcp_do emit_json "${1-}" || return
	[ "$_mcp_kind" = o ] || printf '%s\n' "${1-}"
}
mcp_result_success() { _mcp_do "result_success ${MCPBASH_MAX_TEXT_BYTES:-102400}" "$@"; }
mcp_result_error() { _mcp_do result_error "$@"; }
mcp_error() { _mcp_do error "$@"; }
mcp_fail() {
	_mcp_do fail "$@" || printf '%s\n' "${2-}" >&2
	exit 1
}
mcp_fail_invalid_args() { mcp_fail -32602 "${1:-Invalid params}" "${2-}"; }
mcp_extract_cli_error() { _mcp_do extract_cli_error "$@"; }
mcp_result_text_with_resource() {
	local data="${1-}" files
	[ $# -eq 0 ] || shift
	_mcp_do resources -v files "$@" || return
	[ -z "${MCP_TOOL_RESOURCES_FILE-}" ] || printf '%s\n' "$files" >|"$MCP_TOOL_RESOURCES_FILE"
	_mcp_do "result_text ${MCPBASH_MAX_TEXT_BYTES:-102400}" "$data"
}

# --- while the tool works

mcp_progress() { _mcp_do progress "$@"; }
mcp_log() { _mcp_do log "$@"; }
mcp_log_debug() { _mcp_do 'log_text debug' "$@"; }
mcp_log_info() { _mcp_do 'log_text info' "$@"; }
mcp_log_warn() { _mcp_do 'log_text warning' "$@"; }
mcp_log_error() { _mcp_do 'log_text error' "$@"; }
mcp_debug() {
	[ -n "${MCPBASH_DEBUG_LOG-}" ] || return 0
	_mcp_call time
	{ printf '[%s] %s\n' "$_mcp_value" "$*" >>"$MCPBASH_DEBUG_LOG"; } 2>/dev/null || :
}
mcp_is_cancelled() { [ -n "${MCP_CANCEL_FILE-}" ] && [ -e "$MCP_CANCEL_FILE" ]; }
mcp_with_retry() { _mcp_load tool-sdk.d/run.sh && mcp_with_retry "$@"; }
mcp_run_with_progress() { _mcp_load tool-sdk.d/run.sh && mcp_run_with_progress "$@"; }

# --- paths

mcp_roots_list() { _mcp_do roots_list "$@"; }
mcp_roots_count() { _mcp_do roots_count "$@"; }
mcp_roots_contains() { _mcp_do "roots_contains $PWD" "${1-}"; }
mcp_require_path() { _mcp_do "require_path $PWD" "$@"; }
mcp_path_normalize() { _mcp_do "path_normalize $PWD" "$@"; }
mcp_path_collapse() { _mcp_do path_collapse "$@"; }

# --- the user and the client's model

mcp_elicit() { _mcp_do "elicit ${MCPBASH_ELICITATION_TIMEOUT:-30}" "$@"; }
mcp_elicit_url() { _mcp_do "elicit_url ${MCPBASH_ELICITATION_TIMEOUT:-30}" "$@"; }
mcp_elicit_string() { _mcp_do "elicit_string ${MCPBASH_ELICITATION_TIMEOUT:-30}" "$@"; }
mcp_elicit_confirm() { _mcp_do "elicit_confirm ${MCPBASH_ELICITATION_TIMEOUT:-30}" "$@"; }
mcp_elicit_choice() { _mcp_do "elicit_choice ${MCPBASH_ELICITATION_TIMEOUT:-30}" "$@"; }
mcp_elicit_titled_choice() { _mcp_do "elicit_titled_choice ${MCPBASH_ELICITATION_TIMEOUT:-30}" "$@"; }
mcp_elicit_multi_choice() { _mcp_do "elicit_multi_choice ${MCPBASH_ELICITATION_TIMEOUT:-30}" "$@"; }
mcp_elicit_titled_multi_choice() { _mcp_do "elicit_titled_multi_choice ${MCPBASH_ELICITATION_TIMEOUT:-30}" "$@"; }
mcp_sample() { _mcp_do sample "$@"; }
mcp_ask() { _mcp_do "ask ${MCPBASH_ELICITATION_TIMEOUT:-30}" "$@"; }
mcp_client_supports() { _mcp_do client_supports "${1-}"; }
mcp_require_capability() {
	_mcp_do require_capability "$@" || return
	[ "$_mcp_kind" = n ] || exit 0 # it has printed a result
}

# --- configuration, downloads

mcp_config_load() { _mcp_load tool-sdk.d/config.sh && mcp_config_load "$@"; }
mcp_config_get() { _mcp_do "config_get ${MCP_CONFIG_JSON-}" "$@"; }
mcp_download_safe() { _mcp_do "download_safe $PWD" "$@"; }
mcp_download_safe_or_fail() { _mcp_do "download_safe_or_fail $PWD" "$@"; }

# --- user interfaces

mcp_client_supports_ui() { _mcp_load ui-sdk.sh && mcp_client_supports_ui "$@"; }
mcp_result_with_ui() { _mcp_load ui-sdk.sh && mcp_result_with_ui "$@"; }
mcp_result_with_ui_data() { _mcp_load ui-sdk.sh && mcp_result_with_ui_data "$@"; }
mcp_tool_meta_with_ui() { _mcp_load ui-sdk.sh && mcp_tool_meta_with_ui "$@"; }
mcp_ui_form() { _mcp_load ui-sdk.sh && mcp_ui_form "$@"; }
mcp_ui_table() { _mcp_load ui-sdk.sh && mcp_ui_table "$@"; }
