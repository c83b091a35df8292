# shellcheck shell=bash
# The replacement for the channel when a tool runs by hand, as in
#
#	MCP_TOOL_ARGS_JSON='{"name":"Ada"}' MCP_SDK=... ./tool.sh
#
# or on Windows: mcp-bash is started for each helper, and does what the server does. Progress and
# logs go to stderr, and no client can be asked.
#
# shellcheck disable=SC2154 # tool-sdk.sh sets what is missing

# A server stores its path beside the SDK.
_mcp_program=mcp-bash
if [ -r "$_mcp_sdk/program" ]; then
	IFS= read -r _mcp_program <"$_mcp_sdk/program" || :
fi

# _mcp_byhand OPERATION [ARGUMENT...] answers as the server does: it sets _mcp_kind,
# _mcp_code and _mcp_value.
_mcp_byhand() {
	local answer='' name failed='' operation="$1"
	if ! command -v "$_mcp_program" >/dev/null; then
		_mcp_kind=e _mcp_code=1
		_mcp_value='without a server this needs mcp-bash, which is not on PATH; install it, or add its folder to PATH'
		return 0
	fi
	case ${OSTYPE-} in
	msys* | cygwin*) operation=${operation/"$PWD"/$(pwd -W)} ;; # the program needs the Windows path
	esac
	shift
	answer=$(
		{
			for name in TOOL_ARGS_JSON TOOL_ARGS_FILE TOOL_META_JSON TOOL_META_FILE ROOTS_PATHS PROGRESS_STREAM PROGRESS_TOKEN LOG_STREAM; do
				name=MCP_$name
				printf '%s=%s\0' "$name" "${!name-}"
			done
			printf '\0'
			printf '%s\0' "$operation" "$@"
		} | "$_mcp_program" __helper
	) || failed=1
	if [ -n "$failed" ] || [ "${answer#? }" = "$answer" ]; then
		_mcp_kind=e _mcp_code=1 _mcp_value="$_mcp_program could not answer; is it another version than that of the SDK?"
		return 0
	fi
	answer=${answer%.} # guards newlines at the end
	_mcp_kind=${answer%% *} answer=${answer#* }
	_mcp_code=${answer%% *} _mcp_value=${answer#* }
}
