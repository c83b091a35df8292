package project

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Make writes a project of n tools into dir. The tools do nothing; each has a
// description and a schema of typical size.
func Make(dir string, n int) error {
	for i := range n {
		name := fmt.Sprintf("tool-%05d", i)
		meta := fmt.Sprintf(`{
  "name": %q,
  "description": "Looks up the entry with the number %d and prints what is known about it.",
  "inputSchema": {
    "type": "object",
    "properties": {
      "name": {"type": "string", "description": "Which entry to look up"},
      "count": {"type": "integer", "minimum": 1, "maximum": 100},
      "text": {"type": "string"}
    }
  }
}
`, name, i)
		if err := write(dir, name, meta, "#!/bin/sh\n:\n"); err != nil {
			return err
		}
	}
	return nil
}

// The tools of MakeCalls.
const (
	Sh      = "noop-sh"
	Bash    = "noop-bash"
	Out1    = "out-1"
	Out8    = "out-8"
	Sleeper = "sleeper"
)

// MakeCalls writes a project with the tools that the benchmark calls on every
// server into dir.
func MakeCalls(dir string) error {
	for name, script := range map[string]string{
		Sh:   "#!/bin/sh\n:\n",
		Bash: "#!/usr/bin/env bash\n:\n",
		Out1: "#!/bin/sh\ncat \"${0%/*}/text\"\n",
		Out8: "#!/bin/sh\ncat \"${0%/*}/text\"\n",
		// The folder tells the client which process to watch.
		Sleeper: "#!/bin/sh\necho $$ >\"${0%/*}/pid.new\"\nmv \"${0%/*}/pid.new\" \"${0%/*}/pid\"\nexec sleep 60\n",
	} {
		meta := fmt.Sprintf(`{"name":%q,"description":"A tool of the benchmark.","inputSchema":{"type":"object"}}`, name)
		if err := write(dir, name, meta, script); err != nil {
			return err
		}
	}
	for name, size := range map[string]int{Out1: 1 << 20, Out8: 8 << 20} {
		line := "a line of text as programs print it, with \"quotes\" and a tab\t now and then\n"
		text := strings.Repeat(line, size/len(line)+1)[:size]
		if err := os.WriteFile(filepath.Join(dir, "tools", name, "text"), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// Nap is the tool of MakeWorkers that takes 50 ms; the other tool is Sh.
const Nap = "nap"

// MakeWorkers writes a project with the tools that workers run into dir.
func MakeWorkers(dir string) error {
	for name, script := range map[string]string{Sh: "#!/bin/sh\n:\n", Nap: "#!/bin/sh\nexec sleep 0.05\n"} {
		meta := fmt.Sprintf(`{"name":%q,"description":"A tool of the benchmark.","inputSchema":{"type":"object"}}`, name)
		if err := write(dir, name, meta, script); err != nil {
			return err
		}
	}
	return nil
}

// The tools of MakeSDK.
const (
	Structured = "structured"
	ArgsGet    = "args-get"
)

// MakeSDK writes a project with tools that use the SDK of mcp-bash into dir.
func MakeSDK(dir string) error {
	structured := `#!/usr/bin/env bash
source "${MCP_SDK:?}/tool-sdk.sh"
mcp_result_success '{"count":1,"ok":true}'
`
	// Prints how many nanoseconds one of each takes.
	argsGet := `#!/usr/bin/env bash
source "${MCP_SDK:?}/tool-sdk.sh"
n=200
took() { printf -v "$1" '%s' $(((${EPOCHREALTIME/./} - start) * 1000 / n)); }
start=${EPOCHREALTIME/./}
for ((i = 0; i < n; i++)); do x=$(mcp_args_get .name); done
took substitution
start=${EPOCHREALTIME/./}
for ((i = 0; i < n; i++)); do mcp_args_get -v x .name; done
took variable
start=${EPOCHREALTIME/./}
if command -v jq >/dev/null && [[ $(jq --version) == jq-* ]]; then
  for ((i = 0; i < n; i++)); do x=$(jq -r .name <<<"$MCP_TOOL_ARGS_JSON"); done
  took process
fi
printf '{"substitution":%s,"variable":%s,"process":%s,"version":"%s"}\n' \
  "$substitution" "$variable" "${process:-0}" "${process:+$(jq --version)}"
`
	for name, script := range map[string]string{Structured: structured, ArgsGet: argsGet} {
		meta := fmt.Sprintf(`{"name":%q,"description":"A tool of the benchmark.","inputSchema":{"type":"object"}}`, name)
		if err := write(dir, name, meta, script); err != nil {
			return err
		}
	}
	return nil
}

func write(dir, name, meta, script string) error {
	folder := filepath.Join(dir, "tools", name)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, "tool.meta.json"), []byte(meta), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "tool.sh"), []byte(script), 0o755)
}
