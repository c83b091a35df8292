#!/usr/bin/env bash
# A prompt that is a script prints its text, or {"messages": [...]}.
echo "Plan a day with ${#MCP_PROMPT_ARGS_JSON} bytes of arguments."
