#!/usr/bin/env bash
# Installs the servers of package.json for the tests of this folder: install.sh
# They go into OTHERS_DIR, or a folder in the user's cache. It needs npm and the network.
set -euo pipefail
cd "$(dirname "$0")"

to=${OTHERS_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/mcp-bash/others}
cmp -s package-lock.json "$to/installed" && exit
mkdir -p "$to"
cp package.json package-lock.json .npmrc "$to"
(cd "$to" && npm ci --silent --no-audit --no-fund --ignore-scripts)
cp package-lock.json "$to/installed"
