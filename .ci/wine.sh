#!/usr/bin/env bash
# Runs Windows programs on a Linux machine, under Wine: the tests of the packages that meet the system
# most, and the built binary with programs and batch files as tools. docs/WINDOWS.md says what that
# shows. It installs Wine through apt, and skips all of it with a sentence where that is not possible.
# Arguments go to the tests of the binary, as in: .ci/wine.sh -test.run Cancelled -test.v
set -euo pipefail
cd "$(dirname "$0")/.."

skip() {
	echo "skipped: $*"
	exit 0
}

[ "$(uname -sm)" = "Linux x86_64" ] || skip "Wine runs its programs on x86-64 Linux only"
if ! command -v wine >/dev/null || ! command -v x86_64-w64-mingw32-dlltool >/dev/null; then
	command -v apt-get >/dev/null || skip "Wine is not installed, and apt-get is not here to install it"
	sudo=
	[ "$(id -u)" -eq 0 ] || sudo=sudo
	packages=(wine wine64 binutils-mingw-w64-x86-64)
	{ $sudo apt-get update -qq &&
		$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${packages[@]}"; } >/dev/null 2>&1 ||
		skip "apt-get cannot install ${packages[*]}"
fi

again=$PWD/.ci/again.sh
work=$(mktemp -d)
export WINEPREFIX=$work/prefix WINEDEBUG=-all
trap 'wineserver -k >/dev/null 2>&1 || true; rm -rf "$work"' EXIT
timeout 120 wine wineboot -i >/dev/null 2>&1 || skip "Wine does not start here"

# Go programs take random bytes from a DLL that older Wines do not have.
dll=$WINEPREFIX/drive_c/windows/system32/bcryptprimitives.dll
if [ ! -e "$dll" ]; then
	printf 'LIBRARY bcryptprimitives.dll\nEXPORTS\nProcessPrng = advapi32.SystemFunction036\n' >"$work/dll.def"
	: >"$work/empty.s"
	x86_64-w64-mingw32-as "$work/empty.s" -o "$work/empty.o"
	x86_64-w64-mingw32-dlltool -d "$work/dll.def" -e "$work/exports.o"
	x86_64-w64-mingw32-ld -shared -e 0 -o "$dll" "$work/exports.o" "$work/empty.o"
fi

# os.RemoveAll has another way for systems that lack a call, but does not know the error by which Wine
# reports that it does (STATUS_NOT_IMPLEMENTED).
at=$(go env GOROOT)/src/internal/syscall/windows/at_windows.go
sed 's/case STATUS_INVALID_INFO_CLASS,/case NTStatus(0xC0000002), STATUS_INVALID_INFO_CLASS,/' "$at" >"$work/at_windows.go"
! cmp -s "$at" "$work/at_windows.go" || {
	echo "this Go needs another overlay than .ci/wine.sh makes of $at" >&2
	exit 1
}
printf '{"Replace":{"%s":"%s"}}\n' "$at" "$work/at_windows.go" >"$work/overlay.json"

build() { GOOS=windows go "$@"; }
overlay=(-overlay "$work/overlay.json")
packages=(internal/files internal/operator internal/process internal/shellfile internal/statedir internal/cli/vendored)

if [ $# -eq 0 ]; then
	unit() { # PACKAGE FLAGS...
		printf '%-22s ' "$1"
		build test -c "${overlay[@]}" -o "$work/test.exe" "./$1"
		(cd "$1" && "$again" timeout 120 wine "$work/test.exe" -test.short "${@:2}" 2>&1 | tr -d '\r' | tail -50)
	}
	for package in "${packages[@]}"; do unit "$package"; done
	unit internal/jq -test.run 'JQ|Link'
	unit internal/cli/check -test.run 'Batch|WithoutBash' # the others are for scripts of Unix
fi
build build "${overlay[@]}" -o "$work/mcp-bash.exe" ./cmd/mcp-bash
build test -c "${overlay[@]}" -o "$work/windows.exe" ./e2e/windows
printf '%-22s ' e2e/windows
binary() {
	(cd e2e/windows && timeout 200 wine "$work/windows.exe" -binary "Z:${work//\//\\}\\mcp-bash.exe" -test.parallel 1 -test.timeout 3m "$@" 2>&1 | tr -d '\r' | tail -100)
}
# Wine itself sometimes fails to start a process ("Internal error"), which a fault of ours does not do
# three times in a row.
binary "$@" || binary "$@" || binary "$@"
