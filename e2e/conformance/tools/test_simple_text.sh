#!/usr/bin/env bash
# mcp: {"description": "Answers with a text", "inputSchema": {"type": "object", "properties": {}}}

printf 'This is a simple text response for testing.'
