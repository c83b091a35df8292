# shellcheck shell=bash
# What every hook in server.d/ may call. It is Bash 3.2, and needs jq on PATH.

# mcp_json_extract_optional JSON MODE FILTER [DEFAULT [LOGGER CONTEXT]] prints what jq makes
# of the JSON, or the default where it cannot.
mcp_json_extract_optional() {
	local found
	if found=$(printf '%s' "${1-}" | "${MCPBASH_JSON_TOOL_BIN:-jq}" "${2:--r}" "${3-}" 2>/dev/null); then
		printf '%s' "$found"
		return
	fi
	[ -z "${5-}" ] || [ -z "${6-}" ] || mcp_logging_warning "$5" "$6: not read as JSON, so the default counts"
	printf '%s' "${4-}"
}

# mcp_json_extract_file_required FILE MODE FILTER [CONTEXT] prints what jq makes of a file, or
# says why it cannot and fails.
mcp_json_extract_file_required() {
	local found
	if found=$("${MCPBASH_JSON_TOOL_BIN:-jq}" "${2:--r}" "${3-}" "${1-}" 2>/dev/null); then
		printf '%s' "$found"
		return
	fi
	printf '%s: cannot read %s as JSON\n' "${4:-mcp_json_extract_file_required}" "${1-}" >&2
	return 1
}

mcp_is_valid_json() { printf '%s' "${1-}" | "${MCPBASH_JSON_TOOL_BIN:-jq}" -es 'length == 1' >/dev/null 2>&1; }
mcp_json_escape() { printf '%s' "${1-}" | "${MCPBASH_JSON_TOOL_BIN:-jq}" -Rs .; }

# mcp_logging_LEVEL LOGGER MESSAGE logs by way of stderr.
for _mcp in debug info notice warning error critical alert emergency; do
	eval "mcp_logging_$_mcp() { printf '%s %s: %s\n' $_mcp \"\${1-}\" \"\${2-}\" >&2; }"
done
unset _mcp
