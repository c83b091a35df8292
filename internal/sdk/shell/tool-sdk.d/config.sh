# shellcheck shell=bash
# mcp_config_load of the shell SDK.

# mcp_config_load [--env VAR] [--file PATH] [--example PATH] [--defaults JSON]
mcp_config_load() {
	local env='' file='' example='' defaults='' found='' text
	while [ $# -gt 0 ]; do
		if [ $# -lt 2 ]; then
			printf 'mcp_config_load: %s needs a value\n' "$1" >&2
			return 1
		fi
		case $1 in
		--env) env=$2 ;;
		--file) file=$2 ;;
		--example) example=$2 ;;
		--defaults) defaults=$2 ;;
		*)
			printf 'mcp_config_load: unknown option "%s"\n' "$1" >&2
			return 1
			;;
		esac
		shift 2
	done
	[ -z "$defaults" ] || set -- "$@" --defaults "$defaults"
	for found in "$example" "$file"; do
		if [ -n "$found" ] && [ -f "$found" ]; then
			text=$(<"$found")
			set -- "$@" "$found" "$text"
		fi
	done
	if [ -n "$env" ]; then
		text=${!env-}
		if [ -n "$text" ] && [ -f "$text" ]; then # a path, not JSON
			text=$(<"$text")
		fi
		[ -z "$text" ] || set -- "$@" "\$$env" "$text"
	fi
	if [ $# -eq 0 ]; then
		printf 'mcp_config_load: no configuration was found\n' >&2
		return 1
	fi
	_mcp_into config_merge -v text "$@" || return "$?"
	MCP_CONFIG_JSON=$text
	# The system refuses to start a process with a longer variable.
	if [ ${#text} -lt 30000 ]; then
		export MCP_CONFIG_JSON
	else
		export -n MCP_CONFIG_JSON
	fi
}
