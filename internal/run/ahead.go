package run

import (
	"cmp"
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
	"github.com/mcp-bash/mcp-bash/v2/internal/project"
	"github.com/mcp-bash/mcp-bash/v2/internal/script"
	"github.com/mcp-bash/mcp-bash/v2/internal/sdk"
)

// defaultShells is how many shells wait where only tools ask for it.
const defaultShells = 8

// shells holds the shells that wait for the next calls of tools, at most one per tool. The zero value is
// ready to use.
type shells struct {
	eager bool // a call starts its own shell where none waits, so that in tests each call has one

	starting sync.WaitGroup // shells in the background

	mu      sync.Mutex
	scarce  bool                 // descriptors have run out: no shell waits, since each holds a dozen; guarded by mu
	waiting []*shell             // ordered by when their tools were last called, the latest last; guarded by mu
	useless map[string]time.Time // scripts that cannot be started ahead, by path, with the modification time for which that is known; guarded by mu
}

// A shell was started ahead for one call of a tool, with the folder of that call and the pipes of its channel.
type shell struct {
	*script.Standby
	path   string
	pipes  *sdk.Pipes
	used   atomic.Bool            // the pipes belong to a channel, or are closed
	folder atomic.Pointer[folder] // nil: the call has it, or it is removed
}

// prestarts reports whether shells are started ahead for a tool. They are not for a tool in a
// sandbox or with a command line of its own: both differ from call to call and are fixed when the
// process starts.
func (r *Runtime) prestarts(t *project.Tool) bool {
	return (t.Prestart || r.Prestart > 0) && t.CommandLine.None() && r.sandboxOf(t) == nil && r.hasChannels()
}

// takeShell returns the shell that waits for the tool, or nil, and the folder for the call.
func (r *Runtime) takeShell(t *project.Tool) (*shell, *folder, error) {
	if r.prestarts(t) {
		if r.shells.eager {
			r.startShell(t)
		}
		if w := r.shells.take(t.Path); w != nil {
			if w.Ready() != nil {
				r.giveUp(t, script.ErrDied)
			} else if f := w.folder.Swap(nil); f != nil && f.hasStream() {
				return w, f, nil
			} else if f != nil {
				f.remove()
			}
			w.Dismiss()
		}
	}
	f, err := r.takeFolder()
	return nil, f, err
}

func (s *shells) take(path string) *shell {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.waiting, func(w *shell) bool { return w.path == path })
	if i < 0 {
		return nil
	}
	w := s.waiting[i]
	s.waiting = slices.Delete(s.waiting, i, i+1)
	return w
}

// keepShell starts a shell for the next call of the tool, in the background.
func (r *Runtime) keepShell(t *project.Tool) {
	if !r.prestarts(t) || r.shells.eager {
		return
	}
	r.shells.starting.Go(func() { r.startShell(t) })
}

// startShell adds a shell to those that wait, unless there is one already or the script cannot be started
// ahead.
func (r *Runtime) startShell(t *project.Tool) {
	info, err := os.Stat(t.Path)
	if err != nil || r.shells.has(t.Path, info.ModTime()) {
		return
	}
	w, err := r.newShell(t)
	switch {
	case errors.Is(err, script.ErrClosed):
	case err != nil:
		r.giveUp(t, err)
	default:
		for _, old := range r.shells.add(w, cmp.Or(r.Prestart, defaultShells)) {
			old.Dismiss()
		}
	}
}

func (s *shells) has(path string, version time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.scarce || s.useless[path].Equal(version) || slices.ContainsFunc(s.waiting, func(w *shell) bool { return w.path == path })
}

// add keeps a shell, and returns those that have to go: older ones of the same script, those of deleted
// scripts, and those beyond most; where descriptors are scarce, the shell itself.
func (s *shells) add(w *shell, most int) (old []*shell) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.scarce {
		return []*shell{w}
	}
	s.waiting = slices.DeleteFunc(s.waiting, func(other *shell) bool {
		_, err := os.Stat(other.path)
		if other.path == w.path || err != nil {
			old = append(old, other)
		}
		return other.path == w.path || err != nil
	})
	s.waiting = append(s.waiting, w)
	for len(s.waiting) > most {
		old, s.waiting = append(old, s.waiting[0]), s.waiting[1:]
	}
	return old
}

// noRoom dismisses the shells that wait, and lets no more wait from now on.
func (s *shells) noRoom() {
	s.mu.Lock()
	old := s.waiting
	s.scarce, s.waiting = true, nil
	s.mu.Unlock()
	for _, w := range old {
		w.Dismiss()
	}
}

// giveUp starts no more shells for a script until it changes.
func (r *Runtime) giveUp(t *project.Tool, err error) {
	info, statErr := os.Stat(t.Path)
	if statErr != nil {
		return
	}
	r.shells.mu.Lock()
	defer r.shells.mu.Unlock()
	if r.shells.useless == nil {
		r.shells.useless = make(map[string]time.Time)
	}
	r.shells.useless[t.Path] = info.ModTime()
	if t.Prestart {
		r.Log.Warn("no shell can be started ahead for a tool", "tool", t.Name, "script", t.Path, "error", err)
	}
}

// newShell starts a shell for a tool. Its variables are those of a call without arguments in the folder
// that the next call will have, so that little is left to be set when that comes.
func (r *Runtime) newShell(t *project.Tool) (*shell, error) {
	pipes, err := sdk.NewPipes()
	if err != nil {
		return nil, err
	}
	w := &shell{path: t.Path, pipes: pipes}
	f, err := r.takeFolder()
	if err != nil {
		pipes.Close()
		return nil, err
	}
	w.folder.Store(f)
	env, err := r.environment(Call{Tool: t, Call: sdk.Call{Args: emptyObject}}, f)
	if err == nil {
		boot := []string{"BASH_ENV=$MCP_SDK/tool-sdk.d/ahead.sh", "_mcp_ahead=" + boolean(sourcesSDK(t.Path))}
		env = append(env, pipes.Env(f.path)...)
		c := script.Command{Path: t.Path, Dir: cmp.Or(t.Cwd, r.Root), Env: env, Limits: t.Limits, ExtraFiles: pipes.Files()}
		w.Standby, err = r.Runner.StartAhead(c, boot, variesByCall, w.dropped)
	}
	if err != nil {
		w.dropped()
		return nil, err
	}
	return w, nil
}

// dropped frees what no call has taken over.
func (w *shell) dropped() {
	if w.used.CompareAndSwap(false, true) {
		w.pipes.Close()
	}
	if f := w.folder.Swap(nil); f != nil {
		f.remove()
	}
}

// variesByCall reports whether a variable may differ from call to call. If any other differs, the
// waiting shell is not used.
func variesByCall(name string) bool {
	switch name {
	case "MCP_ELICIT_SUPPORTED", "MCP_PROGRESS_TOKEN",
		"MCP_ROOTS_JSON", "MCP_ROOTS_PATHS", "MCP_ROOTS_COUNT",
		"MCP_TOOL_ARGS_JSON", "MCP_TOOL_ARGS_FILE", "MCP_TOOL_ARGS_SHELL",
		"MCP_TOOL_META_JSON", "MCP_TOOL_META_FILE", "MCP_TOOL_METADATA_FILE",
		"TRACEPARENT", "TRACESTATE", "BAGGAGE":
		return true
	}
	return false
}

// sourcesSDK reports whether a script seems to source the SDK, so that a shell can load it ahead.
func sourcesSDK(path string) bool {
	text, err := files.Head(path, 64<<10)
	return err == nil && strings.Contains(string(text), "MCP_SDK") && strings.Contains(string(text), "/tool-sdk.sh")
}

// openChannel opens the channel of a call, with the pipes of w if there is such a shell.
func (r *Runtime) openChannel(ctx context.Context, client sdk.Call, w *shell) (*sdk.Channel, error) {
	if w != nil && w.used.CompareAndSwap(false, true) {
		return r.SDK.OpenAhead(ctx, client, w.pipes), nil
	}
	return r.SDK.Open(ctx, client)
}
