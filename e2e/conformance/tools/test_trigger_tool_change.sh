#!/usr/bin/env bash
# mcp: {"description": "Makes a tool come or go", "inputSchema": {"type": "object", "properties": {}}}

extra=tools/test_extra.sh
if [ -e "$extra" ]; then
	rm "$extra"
else
	printf '%s\n' '#!/bin/sh' '# mcp: {"description": "Comes and goes"}' 'echo here' >tools/.extra
	chmod +x tools/.extra
	mv tools/.extra "$extra"
fi
printf 'The tools have changed.'
