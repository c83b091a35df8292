#!/usr/bin/env bash
# What the user has typed so far is in MCP_COMPLETION_ARGS_JSON. One text a line,
# a JSON array, or {"suggestions": [...], "hasMore": true}.
echo '{"suggestions": ["main", "maintenance"], "hasMore": true}'
