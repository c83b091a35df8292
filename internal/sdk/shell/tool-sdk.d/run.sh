# shellcheck shell=bash
# The helpers of the shell SDK that run a command.

# mcp_with_retry N DELAY -- COMMAND...
mcp_with_retry() {
	local attempts="${1-}" delay="${2-}" attempt=1 code wait _mcp_kind _mcp_code _mcp_value
	case $attempts in
	'' | *[!0-9]* | 0)
		printf 'mcp_with_retry: "%s" is not a number of attempts\n' "$attempts" >&2
		return 1
		;;
	esac
	case $delay in
	'' | *[!0-9.]* | *.*.* | .)
		printf 'mcp_with_retry: "%s" is not a number of seconds\n' "$delay" >&2
		return 1
		;;
	esac
	shift 2
	[ "${1-}" != -- ] || shift
	if [ $# -eq 0 ]; then
		printf 'mcp_with_retry: which command?\n' >&2
		return 1
	fi
	_mcp_milliseconds "$delay"
	delay=$_mcp_value
	while :; do
		code=0
		"$@" || code=$?
		# 1 and 2 are errors that a retry cannot fix: a wrong option, nothing found.
		if [ "$code" -lt 3 ] || [ "$attempt" -ge "$attempts" ]; then
			return "$code"
		fi
		attempt=$((attempt + 1))
		wait=$((delay + delay * (RANDOM % 51) / 100))
		printf -v wait '%d.%03d' $((wait / 1000)) $((wait % 1000))
		_mcp_call pause "$wait"
		delay=$((delay * 2))
	done
}

# _mcp_milliseconds SECONDS sets _mcp_value: 1.5 is 1500.
_mcp_milliseconds() {
	local whole="${1%%.*}" fraction=000
	case $1 in
	*.*) fraction=${1#*.}000 ;;
	esac
	fraction=${fraction%"${fraction#???}"}
	_mcp_value=$((10#${whole:-0} * 1000 + 10#$fraction))
}

# mcp_run_with_progress --pattern RE [--extract json|match1|ratio] [--interval SECONDS]
#   [--stdout FILE] [--progress-file FILE] [--stderr-file FILE] [--total N] [--dry-run]
#   [--quiet] -- COMMAND...
mcp_run_with_progress() {
	local _mcp_kind _mcp_code _mcp_value
	local pattern='' extract=json interval=0.2 stdout='' source='' keep='' total='' dry='' quiet=''
	local value
	while [ $# -gt 0 ]; do
		case $1 in
		--)
			shift
			break
			;;
		--dry-run) dry=dry-run value='' ;;
		--quiet) quiet=1 value='' ;;
		--*)
			if [ $# -lt 2 ]; then
				_mcp_refuse "$1 needs a value"
				return "$?"
			fi
			value=$2
			case $1 in
			--pattern) pattern=$2 ;;
			--extract) extract=$2 ;;
			--interval) interval=$2 ;;
			--stdout) stdout=$2 ;;
			--progress-file) source=$2 ;;
			--stderr-file) keep=$2 ;;
			--total) total=$2 ;;
			*)
				_mcp_refuse "unknown option \"$1\""
				return "$?"
				;;
			esac
			shift
			;;
		*) break ;;
		esac
		shift
	done
	if [ -z "$pattern" ]; then
		_mcp_refuse '--pattern is required'
		return "$?"
	fi
	case $extract in
	json | match1 | ratio) ;;
	*)
		_mcp_refuse "unknown extract mode \"$extract\"; there are json, match1 and ratio"
		return "$?"
		;;
	esac
	case $total in
	*[!0-9]* | 0)
		_mcp_refuse '--total must be a positive integer'
		return "$?"
		;;
	esac
	case $interval in
	'' | *[!0-9.]* | *.*.* | .)
		_mcp_refuse '--interval must be a number of seconds'
		return "$?"
		;;
	esac
	_mcp_milliseconds "$interval"
	if [ "$_mcp_value" -lt 20 ]; then
		_mcp_refuse '--interval must be at least 0.02 seconds'
		return "$?"
	fi
	value=0
	# shellcheck disable=SC2319 # 2 says that the pattern is none
	[[ x =~ $pattern ]] || value=$?
	if [ "$value" = 2 ]; then
		_mcp_refuse "\"$pattern\" is not a regular expression"
		return "$?"
	fi
	if [ $# -eq 0 ]; then
		_mcp_refuse 'which command?'
		return "$?"
	fi
	_mcp_watch "$@"
}

_mcp_refuse() {
	printf 'mcp_run_with_progress: %s\n' "$1" >&2
	return 1
}

# _mcp_watch COMMAND... runs a command and reads its output until it ends, as set in the
# variables of its caller. Descriptor 49 is the last below those of the channel.
_mcp_watch() {
	local seen="$source" errors="$keep" pid part='' code=0
	if [ -z "$errors" ] && [ -z "$source" ]; then
		_mcp_serial=$((_mcp_serial + 1))
		errors=${_mcp_dir:-${TMPDIR:-/tmp}}/sdk.stderr.$$.${BASHPID:-$RANDOM}.$_mcp_serial
	fi
	[ -z "$errors" ] || printf '' >|"$errors"
	: "${seen:=$errors}"
	[ -e "$seen" ] || printf '' >|"$seen"
	exec 49<"$seen"
	if [ -n "$stdout" ] && [ -n "$errors" ]; then
		"$@" >|"$stdout" 2>>"$errors" 49<&- &
	elif [ -n "$stdout" ]; then
		"$@" >|"$stdout" 49<&- &
	elif [ -n "$errors" ]; then
		"$@" 2>>"$errors" 49<&- &
	else
		"$@" 49<&- &
	fi
	pid=$!
	while kill -0 "$pid" 2>/dev/null; do
		_mcp_read_lines
		if mcp_is_cancelled; then
			kill "$pid" 2>/dev/null || :
			_mcp_call pause 0.5
			kill -9 "$pid" 2>/dev/null || :
			code=130
			break
		fi
		_mcp_call pause "$interval"
	done
	if [ "$code" = 0 ]; then
		wait "$pid" || code=$?
		# The TERM of a cancellation reaches the command too, which may have ended before the check.
		[ "$code" = 0 ] || ! mcp_is_cancelled || code=130
	else
		wait "$pid" 2>/dev/null || :
	fi
	_mcp_read_lines
	[ -z "$part" ] || _mcp_read_line "$part"
	exec 49<&-
	[ -n "$keep$source" ] || printf '' >|"$seen" # the file itself is removed after the call
	return "$code"
}

# _mcp_read_lines reads the new output. Progress bars end their lines with a carriage
# return. An incomplete line is kept in part.
_mcp_read_lines() {
	local line cr=$'\r'
	while IFS= read -r -u 49 line; do
		_mcp_read_line "$part$line"
		part=''
	done
	part=$part$line
	case $part in
	*"$cr"*)
		_mcp_read_line "${part%"$cr"*}"
		part=${part##*"$cr"}
		;;
	esac
}

# _mcp_read_line LINE reports the progress in a line, and passes on other lines.
_mcp_read_line() {
	local cr=$'\r' rest text
	rest=$1$cr
	while [ -n "$rest" ]; do
		text=${rest%%"$cr"*} rest=${rest#*"$cr"}
		if [[ $text =~ $pattern ]]; then
			_mcp_call progress_line "$extract" "$total" "$text" "${BASH_REMATCH[1]-}" "${BASH_REMATCH[2]-}" "$dry"
			# shellcheck disable=SC2154 # _mcp_call sets it
			if [ -n "$dry" ] && [ "$_mcp_kind" = o ]; then
				printf 'progress %s\n' "$_mcp_value" >&2
			fi
		elif [ -n "$text" ] && [ -z "$quiet$keep$source" ]; then
			printf '%s\n' "$text" >&2
		fi
	done
}
