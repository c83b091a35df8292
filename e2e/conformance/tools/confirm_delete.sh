#!/usr/bin/env bash
# mcp: {"description": "Looks for a file, and asks before it would be deleted", "taskSupport": "optional", "inputSchema": {"type": "object", "properties": {"filename": {"type": "string"}}}}
. "$MCP_SDK/tool-sdk.sh"

mcp_args_get -v filename '.filename // "file"'
sleep 1 # it looks: by now it is a task, so the question is one of the task
mcp_ask -v answer confirm elicitation/create '{
  "message": "Delete it?",
  "requestedSchema": {"type": "object", "properties": {"confirm": {"type": "boolean"}}, "required": ["confirm"]}
}' || : # a client that cannot be asked deletes nothing
printf 'Deletion of %s: %s' "$filename" "$answer"
