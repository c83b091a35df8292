#!/usr/bin/env bash
# pack.sh VERSION ARCHIVES OUT makes npm packages of the archives of a release: mcp-bash, and one for each platform,
# of which npm installs only that of the machine.
set -euo pipefail
version=$1 archives=$(cd "$2" && pwd) here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$3"
out=$(cd "$3" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# package NAME MEMBERS packs the folder $work/package.
package() {
	cat >"$work/package/package.json" <<-JSON
		{
		  "name": "$1",
		  "version": "$version",
		  "description": "Serves a folder of scripts over the Model Context Protocol",
		  "license": "MIT",
		  "repository": "github:mcp-bash/mcp-bash",
		  $2
		}
	JSON
	cp "$here/../../LICENSE" "$work/package/"
	(cd "$work/package" && npm pack --silent --pack-destination "$out")
	rm -r "$work/package"
}

optional=
for archive in "$archives"/mcp-bash_"$version"_*_*.{tar.gz,zip}; do
	[ -e "$archive" ] || continue
	platform=${archive##*/mcp-bash_"$version"_}
	platform=${platform%.tar.gz} platform=${platform%.zip}
	os=${platform%_*} cpu=${platform#*_} program=mcp-bash
	mkdir -p "$work/package/bin"
	case $os in
	windows)
		os=win32 program=mcp-bash.exe
		unzip -q "$archive" "$program" -d "$work/package/bin"
		;;
	*) tar -xzf "$archive" -C "$work/package/bin" "$program" ;;
	esac
	[ "$cpu" != amd64 ] || cpu=x64
	package "@mcp-bash/$os-$cpu" '"os": ["'"$os"'"], "cpu": ["'"$cpu"'"]'
	optional+=${optional:+, }'"@mcp-bash/'$os-$cpu'": "'$version'"'
done
[ -n "$optional" ] || {
	echo "pack.sh: $archives has no archive of $version" >&2
	exit 1
}
mkdir -p "$work/package/bin"
cp "$here/mcp-bash.js" "$work/package/bin/"
cp "$here/../../README.md" "$work/package/"
package mcp-bash '"bin": {"mcp-bash": "bin/mcp-bash.js"}, "engines": {"node": ">=18"}, "optionalDependencies": {'"$optional"'}'
