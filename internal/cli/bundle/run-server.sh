#!/bin/sh
# Starts the server of this bundle. Made by mcp-bash bundle.
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd) || exit 1
export MCPBASH_PROJECT_ROOT="${MCPBASH_PROJECT_ROOT:-$here}"

# Folders that the user chose for the bundle are what its tools work in.
for folder; do
	if [ -d "$folder" ]; then
		export MCPBASH_ROOTS="${MCPBASH_ROOTS:+$MCPBASH_ROOTS:}$folder"
	fi
done

# Desktop programs have a short PATH: the user's login shell knows the one that tools are found on.
case ${MCPB_SKIP_LOGIN_SHELL:-} in
'' | 0 | false)
	if [ -x "${SHELL:-}" ]; then
		# shellcheck disable=SC2016 # the login shell expands it
		theirs=$("$SHELL" -lc 'printf "\n%s" "$PATH"' </dev/null 2>/dev/null | tail -n 1)
		PATH=${theirs:+$theirs:}$PATH
	fi
	;;
esac

exec /bin/sh "$here/.mcp-bash/bin/mcp-bash" serve
