# shellcheck shell=bash
# The parts of the channel that are rarely needed, for replies that are late, long or lost;
# tool-sdk.sh loads them on demand. Functions here use the variables of their callers. There
# is no $(...) here: Bash 5.2 fails if a trap of the tool runs within one.
#
# shellcheck disable=SC2006,SC2034,SC2154 # tool-sdk.sh sets and reads them

# --- the lock

# _mcp_wait takes the token, if it is not in _mcp_token already.
_mcp_wait() {
	local rounds=0
	until [[ -n $_mcp_token ]]; do
		if ((++rounds > 30)); then
			_mcp_kind=e _mcp_code=1 _mcp_value='mcp-bash does not answer'
			return 1
		fi
		IFS= read -r -t 2 -n 1 -u "$_mcp_lock" _mcp_token || _mcp_token=
		[[ -n $_mcp_token ]] || printf '\0%s' '?' "$_mcp_nl" >&"$_mcp_request" # is its holder still there?
	done
	if [[ $_mcp_token == x ]]; then
		printf x >&"$_mcp_unlock"
		_mcp_token=
		_mcp_gone
	fi
}

# _mcp_take takes the token.
_mcp_take() {
	_mcp_token=
	_mcp_wait
}

_mcp_gone() {
	_mcp_kind=e _mcp_code=1 _mcp_value='mcp-bash is gone, so nobody can answer'
	return 1
}

# --- replies

# _mcp_hear reads the reply to number. head and text have what _mcp_ask has read of
# sized replies, if it was another one.
_mcp_hear() {
	local first status=0 began="$SECONDS" rounds=0
	while :; do
		if [[ -n $_mcp_sized ]]; then
			_mcp_next_sized || status=$?
		else
			_mcp_next_line || status=$?
		fi
		if ((status == 0)); then
			[[ $text != "$number "[a-z]" "[-slw]" "[0-9]*" "* ]] || break # and no part of it is missing
			text='' # the reply to a process that was killed, or an empty line
			((SECONDS - began > 2)) || continue
		fi
		# Bash 3.2 cannot distinguish the end of file from a timeout.
		if ((status <= 128 && SECONDS - began < 1)); then
			_mcp_token=x
			_mcp_gone
			return "$?"
		fi
		if ((++rounds > 30)); then
			_mcp_kind=e _mcp_code=1 _mcp_value='mcp-bash does not answer'
			return 1
		fi
		_mcp_again
		began=$SECONDS status=0
	done
	_mcp_take_apart
}

# _mcp_take_apart splits text: NUMBER KIND HOW CODE VALUE NEWLINE.
_mcp_take_apart() {
	text=${text#* }
	_mcp_kind=${text:0:1} how=${text:2:1}
	text=${text#????}
	_mcp_code=${text%% *} _mcp_value=${text#* }
	_mcp_value=${_mcp_value%"$_mcp_nl"}
}

# _mcp_again asks for the reply once more.
_mcp_again() { printf '\0%s' "$_mcp_token$_mcp_sized" "$number" ! "$_mcp_nl" >&"$_mcp_request"; }

# _mcp_repeat FIELD... asks once more, with another token. The server may have run the operation before the token was
# lost. Without BASHPID it cannot know: another request may have had the same number.
_mcp_repeat() {
	[[ -z ${BASHPID-} || $1 == = ]] || set -- = "$@"
	_mcp_ask "$@"
}

# _mcp_ask_aside FIELD... is _mcp_ask without the lock: the answer comes through a FIFO of its own, so it does not
# matter how many other helpers wait for theirs. The FIFO is there soon, unless the channel is closed.
_mcp_ask_aside() {
	local began="$SECONDS" token
	_mcp_kind=n _mcp_value=sdk.$number.fifo how=w
	printf '\0%s' ^ "$number" "$@" "$_mcp_nl" >&"$_mcp_request"
	until [[ -p $_mcp_dir/$_mcp_value ]]; do
		((SECONDS - began > 1)) || continue
		IFS= read -r -t 1 -n 1 -u "$_mcp_lock" token || token=
		[[ -z $token ]] || printf %s "$token" >&"$_mcp_unlock"
		if [[ $token$_mcp_token == *x* ]]; then
			_mcp_gone || return 0
		elif ((SECONDS - began > 30)); then
			_mcp_kind=e _mcp_code=1 _mcp_value='mcp-bash does not answer'
			return 0
		fi
	done
	_mcp_fetch
}

# _mcp_next_line sets text to a reply. It is read at once: a trap between two reads may read the rest.
_mcp_next_line() {
	IFS= read -r -t 2 -u "$_mcp_replies" text || return "$?"
	case $text in
	*"$_mcp_mark"*) text=${text##*"$_mcp_mark"} ;; # there may be a part of another before it
	*) text= ;;                                    # an empty line, or the rest of a reply
	esac
}

# _mcp_next_sized sets text to a reply: MARK LENGTH and as many characters, to the end of
# the line if LENGTH is 0000.
_mcp_next_sized() {
	if [[ -n $text ]]; then # the reply in text was for another process
		text='' head=''
		return "$?"
	fi
	if [[ -z $head ]]; then
		IFS= read -r -t 2 -N 5 -u "$_mcp_replies" head || { # from Bash 4.1 on
			first=$?
			_mcp_resync
			return "$first"
		}
	fi
	case $head in
	"$_mcp_mark"0000) IFS= read -r -u "$_mcp_replies" text || return "$?" ;;
	"$_mcp_mark"[0-9][0-9][0-9][0-9])
		IFS= read -r -N "$((10#${head#?}))" -u "$_mcp_replies" text || return "$?" # from Bash 4.1 on
		;;
	"$_mcp_nl$_mcp_nl$_mcp_nl$_mcp_nl$_mcp_nl") ;;
	*)
		_mcp_resync
		_mcp_again # a part of our reply may have been in that
		;;
	esac
	head=
}

# _mcp_resync reads to the end of a line of which head is a part.
_mcp_resync() {
	case $head in
	'' | *"$_mcp_nl") ;;
	*) IFS= read -r -t 2 -u "$_mcp_replies" head || : ;;
	esac
	head=
}

# _mcp_fetch reads what a reply only names: a FIFO from which the answer will come (w), a
# short file (s), a long one (l).
_mcp_fetch() {
	local file="$_mcp_value" as="$how" text
	how=-
	case $as in
	w)
		if ! IFS= read -r text <"$_mcp_dir/$file" || [[ $text != "$_mcp_mark$number "* ]]; then
			_mcp_ask ! # interrupted, or the server is gone: ask for the state
			return "$?"
		fi
		_mcp_take_apart
		;;
	s) IFS= read -r -d '' _mcp_value <"$_mcp_dir/$file" ;;
	l)
		_mcp_value=`<"$_mcp_dir/$file"`
		_mcp_value=${_mcp_value%.} # guards newlines at the end
		;;
	esac
	printf '\0%s' - "$file" "$_mcp_nl" >&"$_mcp_request"
	[[ $how == - ]] || _mcp_fetch
}

# --- answers that are not just printed

# _mcp_untraced is _mcp_run with tracing off until its end.
_mcp_untraced() {
	local _mcp_status=0
	_mcp_run "$@" || _mcp_status=$?
	set -x
	return "$_mcp_status"
}

# _mcp_odd OPERATION [ARGUMENT...] handles an answer that is not a value.
_mcp_odd() {
	if [[ $_mcp_kind == i ]]; then
		_mcp_value=`</dev/stdin`
		_mcp_call "$@" "$_mcp_value"
	fi
	case $_mcp_kind in
	e) _mcp_complain "$_mcp_value" ;;
	f) _mcp_end ;;
	esac
}

# _mcp_complain TEXT prints what is wrong, after the name of the helper that the tool has called.
_mcp_complain() {
	local frame=0
	while [[ ${FUNCNAME[frame]-} == _mcp_* ]]; do frame=$((frame + 1)); done
	printf '%s: %s\n' "${FUNCNAME[frame]-}" "$1" >&2
}

# _mcp_end ends the tool with the error in _mcp_value: its JSON, a newline, its message.
_mcp_end() {
	local json="${_mcp_value%%"$_mcp_nl"*}"
	[ -z "${MCP_TOOL_ERROR_FILE-}" ] || printf '%s\n' "$json" >|"$MCP_TOOL_ERROR_FILE"
	printf '%s\n' "$json"
	printf '%s\n' "${_mcp_value#*"$_mcp_nl"}" >&2
	exit 1
}

# --- the place of a failure

# _mcp_untrapped reports whether the output of trap -p shows no trap. The output is in _mcp_value or,
# with a server, in a file.
_mcp_untrapped() {
	local traps="$_mcp_value"
	if [[ -n $_mcp_request ]]; then
		[[ -r $_mcp_dir/sdk.traps ]] || return 1
		IFS= read -r -d '' traps <"$_mcp_dir/sdk.traps" || :
		printf '\0%s' - sdk.traps "$_mcp_nl" >&"$_mcp_request"
	fi
	traps=${traps//trap -- - EXIT/} traps=${traps//trap -- - ERR/} # with --posix, these mean no trap
	[[ $traps != *[![:space:]]* ]]
}

# _mcp_failed CODE LINE ELEMENTS COMMAND is called when a command has failed, not in a function, and
# set -e ends the tool for it. ELEMENTS is the length of the pipeline that ends with COMMAND.
_mcp_failed() {
	local frame=0
	_mcp_is_to_blame "$1" "$4" || return 0
	[[ ${BASH_VERSINFO[0]} -ge 4 ]] || set -- "$1" "$2" 1 '' # older: it can be a command of a function that has returned
	while [[ ${FUNCNAME[frame]-} == _mcp_* ]]; do frame=$((frame + 1)); done
	_mcp_placed=1
	_mcp_place "$1" "${BASH_SOURCE[frame]-}" "$2" '' "$4" "$3"
}

# _mcp_ended CODE ELEMENTS COMMAND is called when the tool ends, and handles an end in a function: the place
# of its call is known, and mostly the command that failed. For a helper it is the helper.
_mcp_ended() {
	local frame=0 helper='' function='' text
	[[ -z ${_mcp_placed-} ]] || return 0
	while :; do
		case ${FUNCNAME[frame]-} in
		_mcp_* | source) ;;
		mcp_*) helper=${FUNCNAME[frame]} ;;
		*) break ;;
		esac
		frame=$((frame + 1))
	done
	if [[ -n $helper ]]; then
		[[ $3 != exit* ]] || return 0
		set -- "$1" 1 "$helper"
	elif ((frame + 1 < ${#FUNCNAME[@]})); then
		function=${FUNCNAME[frame]}
		frame=$((frame + 1))
	else
		return 0
	fi
	_mcp_is_to_blame "$1" "$3" || return 0
	if [[ -n $function ]]; then
		# After a subshell, and a pipeline that ends with more than a command, COMMAND is an earlier one.
		text=`declare -f "$function"`
		if (($2 > 1)); then
			[[ $text == *"| $3"* ]] || set -- "$1" 1 ''
		else
			[[ $text != *'( '* ]] || set -- "$1" 1 ''
		fi
	fi
	_mcp_place "$1" "${BASH_SOURCE[frame]-}" "${BASH_LINENO[frame - 1]}" "$function" "$3" "$2"
}

# _mcp_is_to_blame CODE COMMAND reports whether COMMAND has failed: not if the tool ended itself
# with a code, or was ended by a signal.
_mcp_is_to_blame() {
	case $1 in 129 | 130 | 131 | 143) return 1 ;; esac # HUP, INT, QUIT, TERM
	case $2 in exit | exit\ * | return | return\ *) return 1 ;; esac
}

# _mcp_place CODE FILE LINE FUNCTION COMMAND ELEMENTS reports a place: to the server, which sends no
# answer, else on stderr.
_mcp_place() {
	local file="${2##*/}" command="${5%%"$_mcp_nl"*}"
	file=${file//"$_mcp_nl"/ }
	file=${file:0:100} command=${command:0:200}
	(($6 < 2)) || command="… | $command"
	if [[ -n $_mcp_request ]]; then
		printf '\0%s' place "$1" "$file" "$3" "${4:0:100}" "$command" "$_mcp_nl" >&"$_mcp_request"
	else
		printf '%s: %sline %s: exit code %s from: %s\n' "$file" "${4:+in $4 called at }" "$3" "$1" "${command:-a command}" >&2
	fi
}

# --- helpers

# _mcp_unsettable NAME reports a name after -v that is none, and fails.
_mcp_unsettable() {
	_mcp_complain "-v $1: not the name of a variable; write one of letters, digits and _, or an element of an array"
	return 2
}

# _mcp_timed OPERATION [ARGUMENT...] asks the user, and waits.
_mcp_timed() {
	local _mcp_operation="$1 ${MCPBASH_ELICITATION_TIMEOUT:-30}"
	shift
	_mcp_do "$_mcp_operation" "$@"
}

# _mcp_here OPERATION [ARGUMENT...] runs an operation on files.
_mcp_here() {
	local _mcp_operation="$1 $PWD"
	shift
	_mcp_do "$_mcp_operation" "$@"
}

# Those with the option -v: their first argument is never data; see _mcp_into.
_mcp_ask_all() { _mcp_into "ask ${MCPBASH_ELICITATION_TIMEOUT:-30}" "$@"; }
_mcp_require_path() { _mcp_into "require_path $PWD" "$@"; }
_mcp_download() {
	local _mcp_operation="$1 $PWD"
	shift
	_mcp_into "$_mcp_operation" "$@"
}
_mcp_config_get() { _mcp_into "config_get ${MCP_CONFIG_JSON-}" "$@"; }
_mcp_fail_invalid_args() { mcp_fail -32602 "${1:-Invalid params}" "${2-}"; }
_mcp_byte_length() (
	LC_ALL=C text=${1-}
	printf '%s\n' "${#text}"
)
_mcp_fail() {
	_mcp_do fail "$@" || printf '%s\n' "${2-}" >&2
	exit 1
}
_mcp_result_text_with_resource() {
	local data="${1-}" files
	[ $# -eq 0 ] || shift
	_mcp_into resources -v files "$@" || return "$?"
	[ -z "${MCP_TOOL_RESOURCES_FILE-}" ] || printf '%s\n' "$files" >|"$MCP_TOOL_RESOURCES_FILE"
	_mcp_do "result_text ${MCPBASH_MAX_TEXT_BYTES:-102400}" "$data"
}
_mcp_debug() {
	local IFS=' ' _mcp_kind _mcp_code _mcp_value # IFS joins the words
	_mcp_call time
	{ printf '[%s] %s\n' "$_mcp_value" "$*" >>"$MCPBASH_DEBUG_LOG"; } 2>/dev/null || :
}
_mcp_require_capability() {
	local result
	_mcp_into require_capability -v result "$@" || return "$?"
	[ -n "$result" ] || return 0
	printf '%s\n' "$result"
	exit 0
}

# The last one: a trap may come while this file is read.
_mcp_rare() { "$@"; }
