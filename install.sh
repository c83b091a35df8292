#!/bin/sh
# Installs a released mcp-bash for this user: install.sh [VERSION]
# It downloads the program for this machine, compares its checksum, and puts it into ~/.local/bin
# (for root: /usr/local/bin). Nothing else is changed. For Windows, see the releases.
#   MCPBASH_INSTALL_DIR  another folder
#   MCPBASH_DOWNLOADS    another address that has the releases, such as a mirror
set -eu

fail() {
	printf 'install.sh: %s\n' "$*" >&2
	exit 1
}

downloads=${MCPBASH_DOWNLOADS:-https://github.com/mcp-bash/mcp-bash/releases}
version=${1:-}
version=${version#v}
if [ -n "${MCPBASH_INSTALL_DIR:-}" ]; then
	folder=$MCPBASH_INSTALL_DIR
elif [ "$(id -u)" -eq 0 ]; then
	folder=/usr/local/bin
else
	folder=${HOME:?is not set}/.local/bin
fi

case $(uname -s) in
Linux) os=linux ;;
Darwin) os=darwin ;;
*) fail "there is no archive for $(uname -s) that this script can install; see $downloads" ;;
esac
case $(uname -m) in
x86_64 | amd64) arch=amd64 ;;
aarch64 | arm64) arch=arm64 ;;
*) fail "there is no archive for $(uname -m); build it with: go install github.com/mcp-bash/mcp-bash/v2/cmd/mcp-bash@latest" ;;
esac

if command -v curl >/dev/null; then
	fetch() { curl --fail --silent --show-error --location --output "$2" "$1"; }
elif command -v wget >/dev/null; then
	fetch() { wget -q -O "$2" "$1"; }
else
	fail "curl or wget is required"
fi
if command -v sha256sum >/dev/null; then
	sum() { sha256sum "$1"; }
elif command -v shasum >/dev/null; then
	sum() { shasum -a 256 "$1"; }
else
	fail "sha256sum or shasum is required to verify the download"
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

if [ -n "$version" ]; then
	from=$downloads/download/v$version
else
	from=$downloads/latest/download
fi
fetch "$from/checksums.txt" "$work/checksums.txt" || fail "cannot download $from/checksums.txt"

# The list names the archive, and with it the version that "latest" is.
archive=$(awk -v end="_${os}_$arch.tar.gz" 'substr($2, length($2) - length(end) + 1) == end { print $2; exit }' "$work/checksums.txt")
[ -n "$archive" ] || fail "$from has no archive for $os/$arch"
expected=$(awk -v name="$archive" '$2 == name { print $1; exit }' "$work/checksums.txt")
fetch "$from/$archive" "$work/archive" || fail "cannot download $from/$archive"
actual=$(sum "$work/archive")
actual=${actual%% *}
[ "$actual" = "$expected" ] || fail "$archive has the checksum $actual instead of $expected; nothing was installed"

tar -xzf "$work/archive" -C "$work" mcp-bash
mkdir -p "$folder"
cp "$work/mcp-bash" "$folder/.mcp-bash.$$"
chmod 755 "$folder/.mcp-bash.$$"
mv -f "$folder/.mcp-bash.$$" "$folder/mcp-bash"

printf 'installed %s as %s/mcp-bash\n' "$("$folder/mcp-bash" version)" "$folder"
case :$PATH: in
*:"$folder":*) ;;
*) printf "add it to your PATH, as in:  export PATH=\"%s:\$PATH\"\n" "$folder" ;;
esac
