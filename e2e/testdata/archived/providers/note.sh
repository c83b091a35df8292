#!/usr/bin/env bash
[ "$1" != note://2 ] || {
	echo "that one is not for you" >&2
	exit 2
}
printf 'note %s' "${1#note://}"
