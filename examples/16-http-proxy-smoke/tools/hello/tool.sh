#!/usr/bin/env bash
echo "Hello from mcp-bash"
