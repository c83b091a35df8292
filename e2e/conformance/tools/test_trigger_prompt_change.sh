#!/usr/bin/env bash
# mcp: {"description": "Makes a prompt come or go", "inputSchema": {"type": "object", "properties": {}}}

extra=prompts/test_extra.md
if [ -e "$extra" ]; then
	rm "$extra"
else
	printf '%s\n' '<!-- mcp: {"description": "Comes and goes"} -->' 'Here I am.' >prompts/.extra
	mv prompts/.extra "$extra"
fi
printf 'The prompts have changed.'
