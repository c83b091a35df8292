# shellcheck shell=bash
# What stands in for the server when a tool runs by hand, as in
#
#	MCP_TOOL_ARGS_JSON='{"name":"Ada"}' MCP_SDK=... ./tool.sh
#
# jq, gojq or mcp-bash does the work with JSON, a process for each helper. Progress and
# logs go to stderr, and there is nobody to ask.
#
# shellcheck disable=SC2154 # tool-sdk.sh sets what is missing

# _mcp_byhand OPERATION [ARGUMENT...] answers as the server does: it sets _mcp_kind,
# _mcp_code and _mcp_value.
_mcp_byhand() {
	local op="${1%% *}" context="${1#* }"
	shift
	_mcp_kind=o _mcp_code=0 _mcp_value=''
	case $op in
	args_raw) _mcp_raw "${MCP_TOOL_ARGS_JSON-}" "${MCP_TOOL_ARGS_FILE-}" ;;
	meta_raw) _mcp_raw "${MCP_TOOL_META_JSON-}" "${MCP_TOOL_META_FILE-}" ;;
	args_get | args_require | args_bool | args_int)
		_mcp_raw "${MCP_TOOL_ARGS_JSON-}" "${MCP_TOOL_ARGS_FILE-}"
		_mcp_lookup "$op" "$_mcp_value" "$@"
		;;
	meta_get)
		_mcp_raw "${MCP_TOOL_META_JSON-}" "${MCP_TOOL_META_FILE-}"
		_mcp_lookup "$op" "$_mcp_value" "$@"
		;;
	config_get) _mcp_lookup "$op" "${context:-null}" "$@" ;;
	jq) _mcp_filter "$@" ;;

	json_escape) _mcp_tool "${1-}" -Rs . ;;
	json_obj)
		if [ $(($# % 2)) -ne 0 ]; then
			_mcp_wrong 1 "\"${*:$#}\" has no value; give names and values in turn"
			return "$?"
		fi
		_mcp_list "$@"
		# shellcheck disable=SC2016 # $i is jq's
		_mcp_tool "$_mcp_value" -c '[range(0;length;2) as $i|{key:.[$i],value:.[$i+1]}]|from_entries'
		;;
	json_arr) _mcp_list "$@" ;;
	is_valid_json)
		_mcp_tool "${1-}" -es 'length==1'
		[ "$_mcp_code" = 0 ] || _mcp_code=1
		_mcp_kind=n
		;;
	emit_json)
		_mcp_tool "${1-}" -c .
		[ "$_mcp_code" = 0 ] || _mcp_wrong 1 'that is not JSON'
		;;
	json_truncate | result_success | result_error | result_text | error | fail | extract_cli_error | resources | config_merge | result_with_ui | result_with_ui_data | tool_meta_with_ui)
		if [ "$op" = result_text ]; then
			_mcp_tool "${1-}" -es 'length==1'
			if [ "$_mcp_code" = 0 ]; then
				op=result_success
			fi
		fi
		_mcp_list "$op" "$context" "$@"
		_mcp_tool "$_mcp_value" -r -f "$_mcp_sdk/tool-sdk.d/byhand.jq"
		if [ "$op" = fail ] && [ "$_mcp_kind" = o ]; then
			_mcp_kind=f _mcp_code=1
		fi
		;;

	progress | progress_line) _mcp_tell_progress "$op" "$@" ;;
	log) _mcp_tell_log "${1-}" "${2-}" "${3-}" json ;;
	log_text) _mcp_tell_log "$context" "${1-}" "${2-}" text ;;
	time) _mcp_value=$(date +%H:%M:%S) ;;
	pause)
		sleep "${1-}"
		_mcp_kind=n
		;;

	roots_list)
		_mcp_value=${MCP_ROOTS_PATHS-}
		[ -n "$_mcp_value" ] || _mcp_kind=n
		;;
	roots_count) _mcp_count_roots ;;
	roots_contains | require_path | path_normalize | path_collapse) _mcp_paths "$op" "$@" ;;

	elicit*) _mcp_code=1 _mcp_value='{"action":"decline","content":null,"reason":"the tool runs by hand"}' ;;
	download_safe)
		_mcp_value='{"success":false,"error":{"type":"provider_unavailable","message":"mcp-bash downloads, and the tool runs by hand"}}'
		;;
	ask)
		[ "${1-}" != --timeout ] || set -- "${@:3}"
		_mcp_list "$@"
		# shellcheck disable=SC2016 # $i is jq's
		_mcp_tool "$_mcp_value" -c '[range(0;length;3) as $i|{key:.[$i],value:{error:"the tool runs by hand"}}]|from_entries'
		;;
	client_supports | client_supports_ui) _mcp_kind=n _mcp_code=1 ;;
	*) _mcp_wrong 1 'this works in a server only, and the tool runs by hand' ;;
	esac
}

_mcp_wrong() { _mcp_kind=e _mcp_code=$1 _mcp_value=$2; }

_mcp_raw() {
	_mcp_value=$1
	if [ -z "$1" ] && [ -n "$2" ]; then
		_mcp_value=$(<"$2")
	fi
	[ -n "$_mcp_value" ] || _mcp_value='{}'
}

# _mcp_tool TEXT ARGUMENT... runs jq over a text.
_mcp_tool() {
	local text="$1"
	shift
	if [ -n "${MCPBASH_JSON_TOOL_BIN-}" ] && command -v "$MCPBASH_JSON_TOOL_BIN" >/dev/null; then
		set -- "$MCPBASH_JSON_TOOL_BIN" "$@"
	elif command -v jq >/dev/null; then
		set -- jq "$@"
	elif command -v gojq >/dev/null; then
		set -- gojq "$@"
	elif command -v mcp-bash >/dev/null; then
		set -- mcp-bash jq "$@"
	else
		_mcp_wrong 1 'by hand this needs jq, gojq or mcp-bash, and none of them is on PATH'
		return "$?"
	fi
	_mcp_kind=o _mcp_code=0
	_mcp_value=$(
		code=0
		printf '%s' "$text" | MSYS2_ARG_CONV_EXCL='*' "$@" || code=$? # Git Bash makes paths of arguments
		printf x
		exit "$code"
	) || _mcp_code=$?
	_mcp_value=${_mcp_value%x}
	if [ "$_mcp_code" != 0 ] || [ -z "$_mcp_value" ]; then # it has said why, or put out nothing
		_mcp_kind=n
	fi
	_mcp_value=${_mcp_value%"$_mcp_nl"}
}

# _mcp_list TEXT... makes an array of texts.
_mcp_list() {
	local quoted all='' text
	for text; do
		_mcp_tool "$text" -Rs .
		[ "$_mcp_kind" = o ] || return 0
		quoted=$_mcp_value
		all=$all${all:+,}$quoted
	done
	_mcp_kind=o _mcp_value="[$all]"
}

# _mcp_filter [--arg NAME VALUE]... FILTER [TEXT] is mcp_jq.
_mcp_filter() {
	local options=0
	while [ "${1-}" = --arg ] && [ $(($# - options)) -gt 2 ]; do
		options=$((options + 3))
		set -- "${@:4}" "$1" "$2" "$3" # to the end, behind the filter and the text
	done
	if [ $(($# - options)) -eq 1 ]; then
		_mcp_kind=i
		return "$?"
	fi
	_mcp_tool "${2-}" -rc "${@:3}" "${1-}"
}

# _mcp_lookup OPERATION JSON FILTER [OPTION...] finds a value in the arguments.
_mcp_lookup() {
	local op="$1" json="$2" filter='' fallback='' has='' min='' max='' message=''
	shift 2
	local i="$#" a
	while [ "$i" -gt 0 ]; do # take our options out, keep those of jq in "$@"
		a=$1
		shift
		i=$((i - 1))
		case $a in
		--default) fallback=${1-} has=1 ;;
		--min) min=${1-} ;;
		--max) max=${1-} ;;
		--arg)
			set -- "${@:3}" --arg "${1-}" "${2-}"
			i=$((i - 2))
			continue
			;;
		*)
			if [ -z "$filter" ]; then
				filter=$a
			else
				message=$a
			fi
			continue
			;;
		esac
		shift
		i=$((i - 1))
	done
	_mcp_tool "$json" -rc "$@" "$filter"
	[ "$_mcp_code" = 0 ] || return 0
	[ "$op:$_mcp_kind:$_mcp_value" != args_require:o: ] || _mcp_kind=n # an empty text is as good as none
	case $_mcp_kind:$_mcp_value in
	n: | o:null)
		if [ -n "$has" ]; then
			_mcp_kind=o _mcp_value=$fallback
			[ "$op" != args_bool ] || _mcp_boolean || :
			return "$?"
		fi
		case $op in
		config_get) _mcp_kind=n _mcp_code=1 ;;
		args_get | meta_get) ;;
		*) _mcp_invalid "${message:-$filter is required}" ;;
		esac
		return "$?"
		;;
	esac
	case $op:$_mcp_value in
	args_bool:*) _mcp_boolean || _mcp_invalid "$filter must be true or false" ;;
	args_int:*[!0-9-]* | args_int:?*-* | args_int:-) _mcp_invalid "$filter must be an integer" ;;
	args_int:*)
		if [ -n "$min" ] && [ "$_mcp_value" -lt "$min" ]; then
			_mcp_invalid "$filter must be >= $min"
		elif [ -n "$max" ] && [ "$_mcp_value" -gt "$max" ]; then
			_mcp_invalid "$filter must be <= $max"
		fi
		;;
	esac
}

# _mcp_boolean makes true or false of what people mean.
_mcp_boolean() {
	case $_mcp_value in
	[Tt][Rr][Uu][Ee] | 1 | [Yy][Ee][Ss] | [Oo][Nn]) _mcp_value=true ;;
	[Ff][Aa][Ll][Ss][Ee] | 0 | [Nn][Oo] | [Oo][Ff][Ff]) _mcp_value=false ;;
	*) return 1 ;;
	esac
}

# _mcp_invalid MESSAGE ends the tool: the arguments are not right.
_mcp_invalid() {
	_mcp_byhand fail -32602 "$1"
}

# --- progress and logs: to stderr, or to the files that a server without a channel gives

_mcp_tell_progress() {
	local value="${2-}" message="${3-}" total="${4-}" line
	if [ "$1" = progress_line ]; then # EXTRACT TOTAL LINE GROUP1 GROUP2 DRY
		value=${5-} message=${4-} total=${3-}
		case $2 in
		ratio) total=${6-} ;;
		json)
			_mcp_tool "$message" -r '(.progress//.percent//.percentage//.current//""),(.total//""),(.message//"")'
			[ "$_mcp_kind" = o ] || return 0
			value=${_mcp_value%%"$_mcp_nl"*} line=${_mcp_value#*"$_mcp_nl"}
			total=${line%%"$_mcp_nl"*} message=${line#*"$_mcp_nl"}
			;;
		esac
	fi
	_mcp_kind=n _mcp_code=0
	case ${value%\%} in
	'' | *[!0-9.]* | *.*.*)
		[ "$1" = progress_line ] || _mcp_wrong 0 "\"$value\" is not a number, so no progress is told"
		return "$?"
		;;
	esac
	value=${value%\%}
	line="$value${total:+/$total} $message"
	if [ -n "${7-}" ]; then
		_mcp_kind=o _mcp_value=$line
	elif [ -z "${MCP_PROGRESS_STREAM-}" ]; then
		printf 'progress %s\n' "$line" >&2
	elif [ -n "${MCP_PROGRESS_TOKEN-}" ]; then
		case $total in
		'' | *[!0-9.]*)
			total=100
			[ "${value%%.*}" -lt 100 ] 2>/dev/null || value=100
			;;
		esac
		_mcp_quote "$MCP_PROGRESS_TOKEN"
		line=$_mcp_value
		_mcp_quote "$message"
		_mcp_append "$MCP_PROGRESS_STREAM" notifications/progress \
			"\"progressToken\":$line,\"progress\":$value,\"total\":$total,\"message\":$_mcp_value"
	fi
}

# _mcp_tell_log LEVEL LOGGER TEXT HOW tells a log message. HOW is json if the text may be JSON.
_mcp_tell_log() {
	local level='info' data
	case $1 in
	[Dd][Ee][Bb][Uu][Gg]) level=debug ;;
	[Nn][Oo][Tt][Ii][Cc][Ee]) level=notice ;;
	[Ww][Aa][Rr][Nn] | [Ww][Aa][Rr][Nn][Ii][Nn][Gg]) level=warning ;;
	[Ee][Rr][Rr][Oo][Rr]) level=error ;;
	[Cc][Rr][Ii][Tt][Ii][Cc][Aa][Ll]) level=critical ;;
	[Aa][Ll][Ee][Rr][Tt]) level=alert ;;
	[Ee][Mm][Ee][Rr][Gg][Ee][Nn][Cc][Yy]) level=emergency ;;
	esac
	if [ -n "${MCP_LOG_STREAM-}" ]; then
		_mcp_code=1
		[ "$4" != json ] || _mcp_tool "$3" -cs 'if length == 1 then .[0] else error("no") end' 2>/dev/null
		[ "$_mcp_code" = 0 ] || _mcp_quote "$3"
		data=$_mcp_value
		_mcp_quote "$2"
		_mcp_append "$MCP_LOG_STREAM" notifications/message "\"level\":\"$level\",\"logger\":$_mcp_value,\"data\":$data"
	else
		printf '%s %s: %s\n' "$level" "$2" "$3" >&2
	fi
	_mcp_kind=n _mcp_code=0
}

# _mcp_quote TEXT makes a JSON string of it.
_mcp_quote() { _mcp_tool "$1" -Rs .; }

# _mcp_append FILE METHOD PARAMS appends a notification to a stream of the tool.
_mcp_append() {
	printf '{"jsonrpc":"2.0","method":"%s","params":{%s}}\n' "$2" "$3" >>"$1"
	_mcp_kind=n _mcp_code=0
}

# --- paths

_mcp_count_roots() {
	local line
	_mcp_value=0
	[ -n "${MCP_ROOTS_PATHS-}" ] || return 0
	while IFS= read -r line; do
		_mcp_value=$((_mcp_value + 1))
	done <<-END
		$MCP_ROOTS_PATHS
	END
}

_mcp_paths() {
	local op="$1" path="${2-}" filter="${2-}" root
	case $op in
	path_collapse) _mcp_collapse "$path" ;;
	path_normalize)
		if [ "$path" = --physical ]; then
			_mcp_physical "${3-}"
		else
			_mcp_absolute "$path"
		fi
		;;
	roots_contains)
		_mcp_physical "$path"
		_mcp_kind=n
		_mcp_inside "$_mcp_value" || _mcp_code=1
		;;
	require_path)
		_mcp_raw "${MCP_TOOL_ARGS_JSON-}" "${MCP_TOOL_ARGS_FILE-}"
		_mcp_lookup args_get "$_mcp_value" "$filter" --default ''
		[ "$_mcp_kind" = o ] || return 0
		path=$_mcp_value
		_mcp_count_roots
		if [ "$_mcp_value" = 1 ]; then
			root=$MCP_ROOTS_PATHS
		fi
		if [ -z "$path" ]; then
			case " $* " in
			*' --default-to-single-root '*) path=${root-} ;;
			esac
		elif [ -n "${root-}" ]; then
			case $path in
			/*) ;;
			*) path=$root/$path ;;
			esac
		fi
		if [ -z "$path" ]; then
			case " $* " in
			*' --allow-empty '*) _mcp_value='' ;;
			*' --default-to-single-root '*) _mcp_invalid "$filter is required when zero or multiple roots are configured" ;;
			*) _mcp_invalid "$filter is required" ;;
			esac
			return "$?"
		fi
		_mcp_physical "$path"
		path=$_mcp_value
		if [ -n "${MCP_ROOTS_PATHS-}" ] && ! _mcp_inside "$path"; then
			_mcp_invalid "$filter is outside configured MCP roots"
			return "$?"
		fi
		_mcp_kind=o _mcp_value=$path
		;;
	esac
}

_mcp_inside() {
	local path="$1" root
	while IFS= read -r root; do
		[ -n "$root" ] || continue
		_mcp_physical "$root"
		root=${_mcp_value%/} # in the pattern itself, an empty one would match nothing
		case $path/ in
		"$root"/*) return 0 ;;
		esac
	done <<-END
		${MCP_ROOTS_PATHS-}
	END
	return 1
}

_mcp_absolute() {
	case $1 in
	/*) _mcp_collapse "$1" ;;
	*) _mcp_collapse "$PWD/$1" ;;
	esac
}

# _mcp_physical PATH resolves the links in the folders that exist.
_mcp_physical() {
	local path rest=''
	_mcp_absolute "$1"
	path=$_mcp_value
	while [ "$path" != / ] && ! [ -d "$path" ]; do
		rest=/${path##*/}$rest
		path=${path%/*}
		path=${path:-/}
	done
	path=$(cd -P -- "$path" && pwd -P)
	_mcp_value=${path%/}$rest
	_mcp_value=${_mcp_value:-/}
}

# _mcp_collapse PATH takes out what is empty, "." and "..".
_mcp_collapse() {
	local rest="$1/" part out='' slash=''
	case $1 in
	/*) slash=/ ;;
	esac
	while [ -n "$rest" ]; do
		part=${rest%%/*} rest=${rest#*/}
		case $part in
		'' | .) ;;
		..)
			case /$out in
			/ | */..) [ -n "$slash" ] || out=$out${out:+/}.. ;;
			*/*/*) out=${out%/*} ;;
			*) out='' ;;
			esac
			;;
		*) out=$out${out:+/}$part ;;
		esac
	done
	_mcp_value=$slash$out
	_mcp_value=${_mcp_value:-.}
}
