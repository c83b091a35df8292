#!/bin/sh
# Prints the longest lines of a text file, each with its length.
#
# Usage: longest.sh [-n COUNT] [-b] FILE
#   -n COUNT  how many lines
#   -b        count bytes instead of characters

set -eu

count=3
bytes=no

while getopts n:b option; do
	case $option in
	n) count=$OPTARG ;;
	b) bytes=yes ;;
	*) exit 2 ;;
	esac
done
shift $((OPTIND - 1))

file=${1:?usage: longest.sh [-n COUNT] [-b] FILE}
[ -r "$file" ] || {
	echo "$file cannot be read" >&2
	exit 1
}

[ "$bytes" = no ] || export LC_ALL=C
awk '{ print length($0) "\t" $0 }' <"$file" | sort -rn | head -n "$count"
