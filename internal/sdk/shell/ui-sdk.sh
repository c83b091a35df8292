# shellcheck shell=bash
# The helpers of the shell SDK for MCP Apps. tool-sdk.sh loads them when one is used.

if [ -z "${_mcp_sdk-}" ]; then
	# shellcheck source=/dev/null
	. "${BASH_SOURCE[0]%/*}/tool-sdk.sh"
fi

mcp_client_supports_ui() { _mcp_do client_supports_ui; }
mcp_result_with_ui() {
	local _mcp_value
	_mcp_page
	_mcp_do "result_with_ui $_mcp_value" "$@"
}
mcp_result_with_ui_data() {
	local _mcp_value
	_mcp_page
	_mcp_do "result_with_ui_data $_mcp_value" "$@"
}
mcp_tool_meta_with_ui() { _mcp_do tool_meta_with_ui "$@"; }
mcp_ui_form() { _mcp_do ui_form "$@"; }
mcp_ui_table() { _mcp_do ui_table "$@"; }

# _mcp_page sets _mcp_value to the URI of the tool's own page.
_mcp_page() {
	_mcp_value=${MCP_TOOL_PATH-}
	_mcp_value=${_mcp_value%/*}
	[ -z "$_mcp_value" ] || [ -z "${MCPBASH_SERVER_NAME-}" ] || _mcp_value=ui://$MCPBASH_SERVER_NAME/${_mcp_value##*/}
	case $_mcp_value in
	ui://*) ;;
	*) _mcp_value='' ;;
	esac
}
