#!/usr/bin/env bash
# mcp: {"description":"Fails halfway"}
echo "looked up 1 of 2 hosts"
echo "no such host: example.invalid" >&2
exit 3
