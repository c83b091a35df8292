#!/usr/bin/env bash
# What todo:open and todo:done stand for: resources/read calls this with the URI. It prints the
# contents; 3 means that there is no such resource.
case $1 in
todo:open) mark='[ ]' ;;
todo:done) mark='[x]' ;;
*)
	echo "there is todo:open and todo:done" >&2
	exit 3
	;;
esac
while IFS= read -r line; do
	[[ $line != "$mark "* ]] || echo "${line#"$mark "}"
done <todo.txt
