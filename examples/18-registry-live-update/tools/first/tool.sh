#!/usr/bin/env bash
# mcp: {"description":"Was here first"}
echo first
