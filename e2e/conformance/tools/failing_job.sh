#!/usr/bin/env bash
# mcp: {"description": "Works for a second and fails", "taskSupport": "required", "inputSchema": {"type": "object", "properties": {}}}
sleep 1
echo "the job has failed" >&2
exit 1
