#!/usr/bin/env bash
# Attacks the built binary, and soaks it, as whoever calls this. For root, an ordinary user tries what
# root may do anyway.
# Arguments go to the tests, as in: .ci/attack.sh -test.run Soak -calls 20000
set -euo pipefail
cd "$(dirname "$0")/.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
go build -trimpath -o "$work/mcp-bash" ./cmd/mcp-bash
go test -tags attack -c -o "$work/attack" ./e2e/attack

"$work/attack" -binary "$work/mcp-bash" -test.timeout 30m "$@"
if [ "$(id -u)" -eq 0 ]; then
  mkdir "$work/tmp"
  chown 65534:65534 "$work/tmp"
  cd "$work/tmp"
  TMPDIR=$work/tmp setpriv --reuid 65534 --regid 65534 --clear-groups \
    "$work/attack" -binary "$work/mcp-bash" -test.timeout 5m -test.run 'ThroughProc|Sandbox|Folder|Garbage'
fi
