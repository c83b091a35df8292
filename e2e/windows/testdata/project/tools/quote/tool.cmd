@echo off
echo [%1] [%2] %MCP_TOOL_NAME%
