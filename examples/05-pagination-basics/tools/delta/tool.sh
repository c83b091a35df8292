#!/usr/bin/env bash
# mcp: {"description":"Says delta"}
echo delta
