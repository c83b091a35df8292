#!/usr/bin/env bash
printf '{"messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "What of %s?"}]}' "${MCP_PROMPT_NAME}"
