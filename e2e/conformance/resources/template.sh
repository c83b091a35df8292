#!/usr/bin/env bash
# The variables come as JSON: {"id": "..."}
printf '{"template": "test://template/{id}/data", "variables": %s}' "$MCP_RESOURCE_VARS_JSON"
