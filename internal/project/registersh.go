package project

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/hooks"
)

const (
	hookTimeout = 10 * time.Second // for the script to end
	hookTTL     = 5 * time.Second  // for which its output is valid
)

// A registerSH is the script server.d/register.sh as a source. Its output is reused for a while;
// faults in it are errors of its lists, as for register.json.
type registerSH struct {
	registrar
	host   hooks.Host
	path   string // absolute
	limit  int64  // of its output
	logger *slog.Logger

	mu     sync.Mutex                   // serializes runs
	last   atomic.Pointer[scriptResult] // nil before the first run
	began  uint64                       // when the last look began
	warned bool                         // whether it was logged that it may not run
}

// A scriptResult is the result of a run of the script.
type scriptResult struct {
	registered
	at     time.Time // the zero time if it did not run
	output []byte    // nil if it failed
}

// batch runs the script if necessary. For an idle ask, its last output is valid however old it is.
func (r *registerSH) batch(k kind, a ask) *batch {
	r.mu.Lock()
	defer r.mu.Unlock()
	last := r.last.Load()
	asks := last == nil || !a.idle && last.stale()
	if !asks && r.began > a.since {
		return last.batches[k]
	}
	r.began = r.clock.Add(1)
	if asks || !last.from.current() {
		last = r.run(last)
	} else if !last.current() {
		last = r.parse(last.from, last.output, last.at)
	}
	r.last.Store(last)
	return last.batches[k]
}

func (r *registerSH) same() bool {
	last := r.last.Load()
	return last != nil && last.from.current() && !last.stale()
}

// stale reports whether the output of the script has expired.
func (s *scriptResult) stale() bool { return !s.at.IsZero() && time.Since(s.at) > hookTTL }

// run runs the script, if it exists and is allowed to run.
func (r *registerSH) run(before *scriptResult) *scriptResult {
	name := rel(r.root, r.path)
	now := &scriptResult{registered: registered{from: dep{path: r.path}}}
	hook, err := r.host.Rules.Open(r.root, r.path)
	switch {
	case isMissing(err):
		return now
	case errors.Is(err, hooks.ErrNotAllowed):
		now.from = depOf(r.path)
		if !r.warned {
			r.logger.Warn(Fault{File: name, Reason: hooks.ErrNotAllowed.Error()}.String())
		}
		r.warned = true
		return now
	case err != nil:
		now.batches = failedBatches(unusable(name, err))
		return now
	}
	defer hook.Close()
	now.from, now.at = dep{r.path, stampOf(hook.Info())}, time.Now()
	output, err := r.ask(hook)
	switch {
	case err != nil:
		now.batches = failedBatches(unusable(name, err))
	case before != nil && before.output != nil && bytes.Equal(before.output, output) && before.current():
		now.output, now.batches = output, before.batches
	default:
		return r.parse(now.from, output, now.at)
	}
	return now
}

// prelude defines the helpers of the script: each writes its argument to the server, between zero
// bytes, which JSON never contains, with its list and the line of the call. The other names are
// those of older scripts.
const prelude = `exec 3>&1
_mcp_register() { printf '\0%s\0%s\0%s\0' "$1" "${BASH_LINENO[1]}" "$2" >&3; }
for _mcp in tool/tools/tools resource/resources/resources resource_template/resourceTemplates/resources_templates \
	template/resourceTemplates/templates prompt/prompts/prompts completion/completions/completion; do
	_mcp_list=${_mcp#*/} _mcp_older=${_mcp##*/}
	_mcp_list=${_mcp_list%/*}
	eval "mcp_register_${_mcp%%/*}() { _mcp_register $_mcp_list \"\${1-}\"; }
		mcp_${_mcp_older}_manual_begin() { _mcp_register $_mcp_list '[]'; }
		mcp_${_mcp_older}_register_manual() { _mcp_register $_mcp_list \"\${1-}\"; }
		mcp_${_mcp_older}_manual_finalize() { :; }"
done
. "$1"`

// about returns the variables with the folders of the project, as in the Bash program.
func (r *registerSH) about() []string {
	return []string{
		"MCPBASH_PROJECT_ROOT=" + r.root,
		"MCPBASH_SERVER_DIR=" + filepath.Dir(r.path),
		"MCPBASH_TOOLS_DIR=" + r.dirs[kindTool],
		"MCPBASH_RESOURCES_DIR=" + r.dirs[kindResource],
		"MCPBASH_PROMPTS_DIR=" + r.dirs[kindPrompt],
	}
}

// ask runs the script and returns its output.
func (r *registerSH) ask(hook *hooks.Script) ([]byte, error) {
	result := r.host.Run(context.Background(), hook, hooks.Program{Text: prelude, Env: r.about(), Limit: hookTimeout, Head: int(r.limit)})
	if err := result.Failure(); err != nil {
		return nil, err
	}
	if result.Truncated {
		return nil, fmt.Errorf("wrote more than %d bytes; raise MCPBASH_MAX_MANUAL_REGISTRY_BYTES", r.limit)
	}
	return append([]byte{}, result.Stdout...), nil
}

// parse reads the output of the script: the arguments of its helpers, and an object on stdout like
// that of register.json.
func (r *registerSH) parse(from dep, output []byte, at time.Time) *scriptResult {
	now := &scriptResult{registered: registered{from: from}, at: at, output: output}
	var faults []Fault
	open := func(doc document) object {
		o, fault := doc.object()
		if fault != nil {
			faults = append(faults, *fault)
		}
		return o
	}
	var lists [kindCount][]registration
	var text []byte
	name, parts := rel(r.root, r.path), bytes.Split(output, []byte{0})
	for i := 0; i+3 < len(parts); i += 4 {
		text = append(text, parts[i]...)
		k, known := kindOfKey(string(parts[i+1]))
		if !known {
			faults = append(faults, Fault{File: name, Reason: "wrote a zero byte to stdout", Hint: "write JSON, or nothing"})
			break
		}
		line, _ := strconv.Atoi(string(parts[i+2]))
		if given := parts[i+3]; string(given) == "[]" {
			lists[k] = append([]registration{}, lists[k]...)
		} else {
			doc := inlineDocument(name, given, line)
			lists[k] = append(lists[k], registration{open(doc), member{value: doc.json}, r.path})
		}
	}
	if text = append(text, parts[len(parts)-1]...); len(bytes.TrimSpace(text)) > 0 {
		o := open(jsonDocument(name+" (output)", text))
		for k, list := range o.registrations(r.path) {
			if list != nil {
				lists[k] = append(list, lists[k]...)
			}
		}
		faults = append(faults, o.faults...)
	}
	if len(faults) > 0 {
		now.batches = failedBatches(registrationError(faults))
		return now
	}
	now.batches = r.batches(lists)
	return now
}
