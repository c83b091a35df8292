#!/usr/bin/env bash
# Runs the official TypeScript and Python clients and the Inspector against the built binary: run.sh
# It needs node, npm, python3 and the network; the clients are those of package.json and requirements.txt.
set -euo pipefail
cd "$(dirname "$0")"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
examples=$(cd ../../examples && pwd)
(cd ../.. && go build -trimpath -o "$work/mcp-bash" ./cmd/mcp-bash)

printf '== TypeScript\n'
cp package.json package-lock.json .npmrc client.mjs "$work"
(cd "$work" && npm ci --silent --no-audit --no-fund && node client.mjs "$work/mcp-bash" "$examples")

printf '== Inspector\n'
listed=$(cd "$work" && npx --no-install mcp-inspector --cli "$work/mcp-bash" serve -C "$examples/00-hello-tool" --method tools/list)
grep -q '"name": "hello"' <<<"$listed" || {
	printf 'the Inspector does not show the tool:\n%s\n' "$listed" >&2
	exit 1
}
printf 'ok 00-hello-tool\n'

printf '== Python\n'
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check -r requirements.txt
"$work/venv/bin/python" client.py "$work/mcp-bash" "$examples"
