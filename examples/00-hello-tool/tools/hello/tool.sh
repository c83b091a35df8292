#!/usr/bin/env bash
# mcp: {"title":"Hello","description":"Says hello"}
echo "Hello from mcp-bash"
