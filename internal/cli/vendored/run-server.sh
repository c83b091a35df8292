#!/bin/sh
# Starts the server of the project in this folder with its own copy of mcp-bash. Made by mcp-bash vendor.
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd) || exit 1
# Without a project by name, the server looks for one from here upwards.
[ -n "${MCPBASH_PROJECT_ROOT:-}" ] || cd "$here" || exit 1
exec "$here/.mcp-bash/bin/mcp-bash" serve "$@"
