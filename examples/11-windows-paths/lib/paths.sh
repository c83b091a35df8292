# shellcheck shell=bash
# Paths of Windows as a Unix shell writes them, and back: what cygpath does on Windows, and works
# anywhere.

# unix_path PATH prints C:\Users\me as /c/Users/me. A path without a drive keeps its way.
unix_path() {
	local path=${1//\\//} drive
	if [[ $path == [A-Za-z]:/* ]]; then
		drive=$(printf '%s' "${path%%:*}" | tr '[:upper:]' '[:lower:]')
		path=/$drive${path#*:}
	fi
	printf '%s\n' "$path"
}

# windows_path PATH prints /c/Users/me as C:\Users\me.
windows_path() {
	local path=$1 drive
	if [[ $path == /[a-z]/* ]]; then
		drive=$(printf '%s' "${path:1:1}" | tr '[:lower:]' '[:upper:]')
		path=$drive:${path:2}
	fi
	printf '%s\n' "${path//\//\\}"
}
