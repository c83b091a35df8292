#!/usr/bin/env bash
# mcp: {"description":"Says alpha"}
echo alpha
