#!/usr/bin/env bash
# extras.sh writes what the packages of a release have beside the program to bin/extras: completions, and the manual.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p bin/extras
for shell in bash fish zsh; do
	go run ./cmd/mcp-bash completion "$shell" >"bin/extras/mcp-bash.$shell"
done
{
	printf '%% MCP-BASH 1\n\n# NAME\n\nmcp-bash - serves a folder of scripts over the Model Context Protocol\n\n'
	sed 's/\[\([^]]*\)\](#[^)]*)/\1/g' docs/CLI.md # a page on paper has no links
} | go -C .ci/tools tool go-md2man >bin/extras/mcp-bash.1
