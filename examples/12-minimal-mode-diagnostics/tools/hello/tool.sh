#!/usr/bin/env bash
echo "hello from a server in $MCPBASH_MODE mode"
