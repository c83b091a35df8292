#!/usr/bin/env bash
set -euo pipefail
# shellcheck source=/dev/null
source "${MCP_SDK:?}/tool-sdk.sh"
word="$(mcp_args_require '.word')"
mcp_result_success "$(mcp_json_obj word "${word}" letters "${#word}")"
