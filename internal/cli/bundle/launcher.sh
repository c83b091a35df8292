#!/bin/sh
# Runs the mcp-bash of this bundle that is for this system, else the one that is installed.
here=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd) || exit 1
case $(uname -s) in
Darwin) own=$here/darwin/mcp-bash ;;
Linux) own=$here/linux/mcp-bash ;;
*) own=$here/win32/mcp-bash.exe ;;
esac
if [ -f "$own" ] && [ ! -x "$own" ]; then
	chmod +x "$own" # some programs lose it when they unpack
fi
for program in "$own" "$(command -v mcp-bash)" "${HOME:-}/.local/bin/mcp-bash" "${MCPBASH_HOME:-}/bin/mcp-bash"; do
	if [ -f "$program" ] && [ -x "$program" ]; then
		exec "$program" "$@"
	fi
done
echo "this bundle has no mcp-bash for this system, and none is installed: put mcp-bash on the PATH" >&2
exit 127
