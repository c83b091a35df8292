#!/usr/bin/env bash
# mcp: {"description":"Says epsilon"}
echo epsilon
