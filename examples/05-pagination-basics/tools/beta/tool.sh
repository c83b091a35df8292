#!/usr/bin/env bash
# mcp: {"description":"Says beta"}
echo beta
