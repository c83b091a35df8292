package serving

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/mcp-bash/mcp-bash/v2/internal/operator"
	"github.com/mcp-bash/mcp-bash/v2/internal/process"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// A CIReport is what a server writes in CI mode to explain why a run failed: a line in
// failure-summary.jsonl for each call that failed, and a description of the machine in
// env-snapshot.json. Arguments are not written, only their number, size and hash.
type CIReport struct {
	dir     string
	roots   []string // the folders that tools work in if the client provides no roots
	console io.Writer
	log     *slog.Logger
	mu      sync.Mutex // one line at a time
}

// A ciFailure is a line of failure-summary.jsonl.
type ciFailure struct {
	Time       string   `json:"ts"`
	Tool       string   `json:"tool"`
	ExitCode   *int     `json:"exitCode"` // null if the tool did not end by itself
	TimedOut   bool     `json:"timedOut"`
	ArgCount   int      `json:"argCount"`
	ArgBytes   int      `json:"argBytes"`
	ArgHash    string   `json:"argHash"` // SHA-256
	MetaKeys   []string `json:"metaKeys"`
	Roots      []string `json:"roots"`
	Message    string   `json:"message"`
	StderrTail string   `json:"stderrTail"`
	TraceLine  *string  `json:"traceLine"` // always null: nothing is traced
}

// NewCIReport makes the folder and writes the snapshot; env holds the variables of the server.
func NewCIReport(env map[string]string, s operator.Settings, console io.Writer, log *slog.Logger) (*CIReport, error) {
	dir, err := s.LogDir, error(nil)
	if dir == "" {
		dir, err = os.MkdirTemp(ciTemp(env, s), "mcpbash.logs.")
	} else {
		err = os.MkdirAll(dir, 0o700)
	}
	if err != nil {
		return nil, fmt.Errorf("no folder for the files of CI mode: %w; set MCPBASH_LOG_DIR", err)
	}
	cwd, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	total := 0
	for name, value := range env {
		total += len(name) + len(value) + 2
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	snapshot, err := json.Marshal(map[string]any{
		"bashVersion": bashVersion(operator.Pairs(env)), "os": runtime.GOOS + "/" + runtime.GOARCH, "cwd": cwd,
		"pathBytes": len(env["PATH"]), "envBytes": total, "jsonTool": "gojq", "jsonToolBin": self,
	})
	if err != nil {
		return nil, err
	}
	log.Info("CI mode: failures are recorded", "path", dir)
	r := &CIReport{dir: dir, roots: append([]string{}, s.Roots...), console: console, log: log}
	return r, os.WriteFile(filepath.Join(dir, "env-snapshot.json"), append(snapshot, '\n'), 0o600)
}

// bashVersion returns the version that bash prints; empty without a bash.
func bashVersion(environ []string) string {
	out, _ := exec.Command(process.Bash(environ), "-c", `printf %s "$BASH_VERSION"`).Output()
	return string(out)
}

// ciTemp returns the folder for files that outlive a job's step.
func ciTemp(env map[string]string, s operator.Settings) string {
	switch {
	case env["MCPBASH_TMP_ROOT"] != "":
		return env["MCPBASH_TMP_ROOT"]
	case env["RUNNER_TEMP"] != "":
		return env["RUNNER_TEMP"]
	case env["GITHUB_WORKSPACE"] != "":
		dir := filepath.Join(env["GITHUB_WORKSPACE"], ".mcpbash-tmp")
		if os.MkdirAll(dir, 0o700) == nil {
			return dir
		}
	}
	return s.Temp
}

// Stage returns a stage that records the tool calls that fail. It comes after all other stages, so
// that a call which is refused before the tool is looked up does not count as a failure of the tool.
func (r *CIReport) Stage() pipeline.Middleware {
	return pipeline.Middleware{
		Name: "ci",
		Inbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Handler) (*pipeline.Message, error) {
			answer, err := next(ctx, m)
			if m.Method() == "tools/call" && ctx.Err() == nil {
				if f, failed := r.failure(m, answer, err); failed {
					if err := r.write(f); err != nil {
						r.log.Warn("the failure of a tool is not recorded", "error", err)
					}
				}
			}
			return answer, err
		},
	}
}

// failure describes the failure of a call; failed is false if it has succeeded.
func (r *CIReport) failure(m, answer *pipeline.Message, err error) (f ciFailure, failed bool) {
	var call struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
		Meta      json.RawMessage `json:"_meta"`
	}
	_ = json.Unmarshal(m.Params(), &call) // fields of another type stay empty
	sum := sha256.Sum256(call.Arguments)
	f = ciFailure{
		Time: time.Now().UTC().Format(time.RFC3339), Tool: call.Name,
		ArgCount: len(keysOf(call.Arguments)), ArgBytes: len(call.Arguments), ArgHash: hex.EncodeToString(sum[:]),
		MetaKeys: keysOf(call.Meta), Roots: r.roots,
	}
	if err != nil {
		f.Message = err.Error()
		if refused := (*jsonrpc2.Error)(nil); errors.As(err, &refused) {
			f.Message = refused.Message
		}
		return f, true
	}
	if answer == nil {
		return f, false
	}
	var said struct {
		IsError           bool
		Content           []struct{ Text string }
		StructuredContent struct{ Error struct{ Type string } }
		Meta              struct {
			ExitCode *int
			Stderr   string
		} `json:"_meta"`
	}
	_ = json.Unmarshal(answer.Result(), &said) // as above
	f.ExitCode, f.StderrTail = said.Meta.ExitCode, said.Meta.Stderr
	f.TimedOut = said.StructuredContent.Error.Type == "timeout"
	if len(said.Content) > 0 {
		f.Message = said.Content[0].Text
	}
	return f, said.IsError
}

// keysOf returns the names of the members of an object, sorted.
func keysOf(object json.RawMessage) []string {
	var all map[string]json.RawMessage
	_ = json.Unmarshal(object, &all) // nil has no members
	return append([]string{}, slices.Sorted(maps.Keys(all))...)
}

// write appends the failure to the summary, and annotates the run with it.
func (r *CIReport) write(f ciFailure) error {
	line, err := json.Marshal(f)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	file, err := os.OpenFile(filepath.Join(r.dir, "failure-summary.jsonl"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(append(line, '\n'))
	title := strings.NewReplacer(":", "%3A", ",", "%2C").Replace(annotation(f.Tool)) // these end a property
	_, annotated := fmt.Fprintf(r.console, "::error title=%s::%s\n", title, annotation(f.Message))
	return errors.Join(err, file.Close(), annotated)
}

// annotation escapes a text for a workflow command, which is a single line.
func annotation(text string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(text)
}
