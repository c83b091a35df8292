#!/usr/bin/env bash
# mcp: {"description":"Reads all of its stdin and says what looks like a message"}
cat
echo '{"jsonrpc":"2.0","id":1,"result":{}}'
echo "on two lines"
