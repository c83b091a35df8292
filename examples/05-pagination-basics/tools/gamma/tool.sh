#!/usr/bin/env bash
# mcp: {"description":"Says gamma"}
echo gamma
