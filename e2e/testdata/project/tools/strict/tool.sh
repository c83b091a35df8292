#!/usr/bin/env bash
# Leaves a file behind, so that a test can tell whether it was started.
if [[ -n ${MCP_E2E_DIR:-} ]]; then
	: >"$MCP_E2E_DIR/started"
fi
echo "started"
