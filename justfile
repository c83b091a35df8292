# List the recipes.
default:
    @just --list

# Build bin/mcp-bash.
build:
    go build -trimpath -o bin/mcp-bash ./cmd/mcp-bash

# Install mcp-bash into Go's bin folder.
install:
    go install ./cmd/mcp-bash

# Run mcp-bash, as in: just run chain
run *ARGS:
    go run ./cmd/mcp-bash {{ARGS}}

# All tests.
test:
    go test ./...

# One test, told in full.
test-one NAME:
    go test -v -run '{{NAME}}' ./...

# The engine under the race detector.
race:
    go test -race -short ./pipeline/... ./middleware/... ./mcp/... ./handlers/... ./providers/... ./server/... ./internal/...

# Takes away what each stage does, one door at a time: a test must fail.
mutate:
    .ci/mutate.sh

# The built binary: real clients, recorded conversations, the README.
e2e:
    go test ./e2e/...

# The official conformance suite against mcp-http, as in: just conformance 2026-07-28
conformance *REVISIONS:
    e2e/conformance.sh {{REVISIONS}}

# The official TypeScript and Python clients and the Inspector. It needs node, Python and the network.
compat:
    e2e/compat/run.sh

# Attacks on the built binary, on Linux: hostile tools, clients and projects.
attack *FLAGS:
    .ci/attack.sh {{FLAGS}}

# Many calls, cancellations, garbage and edits: what the server holds before and after.
soak CALLS="20000":
    .ci/attack.sh -test.v -test.run Soak -calls {{CALLS}}

# Record all conversations and scripts anew, and show what changed.
golden:
    go test ./pipeline/... ./e2e/... ./cmd/... -update
    git diff --stat

# The list of stages.
chain:
    go run ./cmd/mcp-bash chain

# Format.
fmt:
    gofmt -w .
    git ls-files '*.sh' .ci/run examples/run examples/send examples/check-env | grep -v /tool-sdk.d/rare.sh | xargs go tool shfmt -w

# Formatting, vet, shellcheck, shfmt, a tidy go.mod.
lint:
    test -z "$(gofmt -l .)"
    go vet ./...
    go mod tidy -diff
    git ls-files -z '*.sh' .ci/run examples/run examples/send examples/check-env | xargs -0 shellcheck
    git ls-files '*.sh' .ci/run examples/run examples/send examples/check-env | grep -v /tool-sdk.d/rare.sh | xargs go tool shfmt -d

# Faults that compile, and names that nothing uses.
staticcheck:
    "$(go -C .ci/tools tool -n staticcheck)" ./...

# Functions that nothing calls, not even a test.
deadcode:
    "$(go -C .ci/tools tool -n deadcode)" -test ./...

# Known vulnerabilities of what the programs call; needs the network.
vuln:
    "$(go -C .ci/tools tool -n govulncheck)" ./...

# Coverage as a page.
cover:
    go test -coverprofile=cover.out ./... && go tool cover -html=cover.out -o coverage.html

# Every fuzz target for a while, as in: just fuzz 60s ./pipeline
fuzz TIME="30s" *PACKAGES:
    .ci/fuzz.sh {{TIME}} {{PACKAGES}}

# mcp-bash beside other servers, into docs/PERFORMANCE.md. Keep the machine quiet meanwhile.
bench *FLAGS:
    cd bench && go run . -doc ../docs/PERFORMANCE.md {{FLAGS}}

# The benchmarks of the packages.
bench-packages:
    go test -run '^$' -bench . ./...

# The black-box tests of mcp-bash 1.3.0, where they are, and the table of their times.
peer-times *TESTS:
    e2e/peer-times.sh {{TESTS}}

# What CI runs.
ci:
    bash .ci/run
