#!/usr/bin/env bash
# Attacks the built binary, and soaks it. Root does so as an ordinary user, and as itself what only root can.
# Arguments go to the tests, as in: .ci/attack.sh -test.run Soak -calls 20000
set -euo pipefail
cd "$(dirname "$0")/.."

again=$PWD/.ci/again.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
CGO_ENABLED=0 go build -trimpath -ldflags=-s -o "$work/mcp-bash" ./cmd/mcp-bash
go test -tags attack -c -o "$work/attack" ./e2e/attack

attack() { "$again" "$@" "$work/attack" -binary "$work/mcp-bash" -test.timeout 30m "${args[@]}"; }

args=("$@")
if [ "$(id -u)" -ne 0 ]; then
	attack env
	exit
fi
mkdir "$work/tmp"
chown 65534:65534 "$work/tmp"
(cd "$work/tmp" && TMPDIR=$work/tmp attack setpriv --reuid 65534 --regid 65534 --clear-groups)
if [ $# -eq 0 ]; then
	args=(-test.run 'ForkBomb|FewProcesses|SomebodyElse|Killed')
	attack env
fi
