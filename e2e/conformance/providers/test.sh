#!/usr/bin/env bash
# Reads what begins with test:
case $1 in
test://static-text) printf 'This is the content of the static text resource.' ;;
test://static-binary) cat media/dot.png ;;
test://watched-resource) printf 'This is content number %s.' $(($(date +%s) / 3)) ;;
*)
	echo "there is no resource $1" >&2
	exit 3
	;;
esac
