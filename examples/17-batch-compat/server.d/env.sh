# shellcheck shell=bash disable=SC2034 # the server reads it
MCPBASH_COMPAT_BATCHES=true
