#!/usr/bin/env bash
# shellcheck source=/dev/null
. "$MCP_SDK/tool-sdk.sh"

mcp_config_load --env GREET_CONFIG --file config.json --defaults '{"greeting":"Hello","mark":"!"}'
echo "$(mcp_config_get .greeting), $(mcp_args_get .name)$(mcp_config_get .mark)"
