#!/usr/bin/env bash
# shellcheck source=/dev/null
. "$MCP_SDK/tool-sdk.sh"

answer=$(mcp_elicit "A table for how many?" '{
  "type": "object",
  "properties": {
    "guests": {"type": "integer", "minimum": 1, "maximum": 12, "title": "Guests"},
    "outside": {"type": "boolean", "title": "In the garden", "default": false}
  },
  "required": ["guests"]
}') || {
	mcp_error unsupported "this client cannot ask its user" --hint "ask the user how many guests come, and call the restaurant"
	exit 0
}
case "$(mcp_jq .action "$answer")" in
accept) mcp_jq '"a table for \(.content.guests)" + if .content.outside then " in the garden" else "" end' "$answer" ;;
decline) echo "no table, then" ;;
*) echo "no answer, so no table" ;;
esac
