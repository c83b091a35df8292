#!/usr/bin/env bash
# mcp: {"description":"Waits until it is ended"}
exec sleep 300
