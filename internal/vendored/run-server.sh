#!/bin/sh
# Starts the server of the project that this folder lies in.
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd) || exit 1
# Without a project by name, the server looks for one from here upwards.
[ -n "${MCPBASH_PROJECT_ROOT:-}" ] || cd "$here" || exit 1
exec "$here/mcp-bash" serve "$@"
