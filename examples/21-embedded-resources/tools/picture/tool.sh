#!/usr/bin/env bash
set -eu

# The same list as JSON. What is no text is sent as base64, and the MIME type is
# found out where it is not said.
cat >"$MCP_TOOL_RESOURCES_FILE" <<'JSON'
[{"path": "dot.png", "uri": "picture://dot"}, "/etc/hostname"]
JSON
echo "here is a picture"
