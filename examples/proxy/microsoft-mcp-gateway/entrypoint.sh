#!/bin/sh
# Serves /project to the Microsoft MCP Gateway, which reaches an adapter at port 8000 and has already
# checked who calls. It can give an adapter variables, but not files or flags:
#
#   STATE_KEY   32 bytes in base64, the same for all instances: with several, one may be asked
#               to take the answer to a question of another
#   CLUSTER     the URL of NATS, with which instances know of each other's tasks
set -eu

# The gateway calls each instance by the name that Kubernetes gives it.
set -- --project "${PROJECT:-/project}" --listen "0.0.0.0:${PORT:-8000}" --allow-host "$(hostname -f)" --trust-network --production "$@"
if [ -n "${STATE_KEY:-}" ]; then
	umask 077
	MCPBASH_STATE_KEY_FILE=$(mktemp "${TMPDIR:-/tmp}/state-key.XXXXXX")
	printf '%s' "$STATE_KEY" | base64 -d >"$MCPBASH_STATE_KEY_FILE"
	export MCPBASH_STATE_KEY_FILE
fi
[ -z "${CLUSTER:-}" ] || set -- "$@" --cluster "$CLUSTER"
unset STATE_KEY
exec mcp-http "$@"
