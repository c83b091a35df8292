//go:build unix

package run

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/project"
	"github.com/mcp-bash/mcp-bash/v2/internal/script"
)

// state is a script that shows all that a shell has. What differs from process to process
// by its nature is left out.
const state = `
echo "0=$0 source=${BASH_SOURCE[*]} lines=${BASH_LINENO[*]} line=$LINENO func=${FUNCNAME[*]-none} status=$? args=$# under=$_"
echo "flags=$- umask=$(umask) pwd=$PWD dirs=$(dirs -l) ppid=$PPID seconds=$((SECONDS < 3)) sub=$BASH_SUBSHELL command=$BASH_COMMAND"
[ "$$" = "$BASHPID" ] && echo "a process of its own"
ulimit -a
shopt
set -o
trap -p
alias
hash
jobs
for fd in /proc/$$/fd/*; do
	[ "${fd##*/}" = 255 ] || echo "${fd##*/}: $(readlink "$fd" | sed 's/:.*//')"
done
ps -o pgid= -p $$ | tr -d ' ' | sed "s/^$$\$/leads a group/"
tr '\0' ' ' </proc/$$/cmdline; echo
readlink /proc/$$/exe /proc/$$/cwd
env | sort
declare -p | grep -v 'BASHPID\|EPOCH\|RANDOM\|PIPESTATUS\|BASH_LINENO\|BASH_ARG\|SECONDS\|fd=\| _='
declare -p BASH_ARGV BASH_ARGC PIPESTATUS
declare -F
f() { echo "in f: ${FUNCNAME[*]} ${BASH_SOURCE[*]} ${BASH_LINENO[*]} $(caller 0)"; }
f
return 3
echo "after return $?"
exec 3>&1; echo "fd 3" >&3
nosuchcommand
x=$(false) ; echo "no errexit"
trap 'echo bye $?' EXIT
echo "$RANDOM" >/dev/null
if ; then
`

// aheadRuntime is a runtime in which each call of a script in bash has a shell that was started
// ahead, or none has.
func aheadRuntime(t testing.TB, ahead bool) *Runtime {
	r := newRuntime(t)
	r.Prestart, r.shells.eager = 0, false
	installSDK(t, r)
	if ahead {
		r.Prestart, r.shells.eager = 1, true
	}
	return r
}

func TestAShellStartedAheadIsAsAFreshOne(t *testing.T) {
	for name, head := range map[string]string{
		"env":      "#!/usr/bin/env bash\n",
		"path":     "#!/bin/bash\n",
		"with SDK": "#!/bin/bash\n. \"$MCP_SDK/tool-sdk.sh\"\nset +euo pipefail\n",
	} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			fresh, ahead := aheadRuntime(t, false), aheadRuntime(t, true)
			ahead.Root, ahead.Home = fresh.Root, fresh.Home
			tool := newTool(t, fresh, head+state)
			tool.Env = map[string]string{"OWN": "it's $x", "MCP_OWN": "a\nb"}
			var out [2]string
			for i, r := range []*Runtime{fresh, ahead} {
				c := new(heard).call(tool)
				c.Args = []byte(`{"name":"Ada"}`)
				result, err := r.Call(t.Context(), c)
				is.NoErr(err)
				out[i] = strings.ReplaceAll(string(encode(result)), r.State, "STATE")
				out[i] = folderName.ReplaceAllString(out[i], "calls/N")
				out[i] = mostProcesses.ReplaceAllString(out[i], "(-u) N") // counted from those that there are
			}
			want, got := strings.Split(out[0], `\n`), strings.Split(out[1], `\n`)
			for i := range min(len(want), len(got)) {
				if want[i] != got[i] {
					t.Errorf("line %d: ahead %q, fresh %q", i, got[i], want[i])
				}
			}
			is.Equal(len(got), len(want))
		})
	}
}

var (
	folderName    = regexp.MustCompile(`calls/[0-9A-Za-z]+`)
	mostProcesses = regexp.MustCompile(`\(-u\) [0-9]+`)
)

// probe is a script that shows which version of it ran, in which process, and whether that was
// started ahead: its first environment stays to be seen.
const probe = `#!/bin/bash
kind=fresh
[ ! -r /proc/$$/environ ] || while IFS= read -r -d '' v; do case $v in BASH_ENV=*/ahead.sh) kind=ahead ;; esac; done </proc/$$/environ
echo "$kind $$ $OWN $(cat data 2>/dev/null)"
`

// A prober calls a tool in a runtime in which shells wait.
type prober struct {
	*testing.T
	r    *Runtime
	tool *project.Tool
}

func newProber(t *testing.T) prober {
	if runtime.GOOS != "linux" {
		t.Skip("without /proc the descriptors of a shell cannot be listed")
	}
	r := newRuntime(t)
	r.Prestart, r.shells.eager = 2, false
	installSDK(t, r)
	return prober{t, r, newTool(t, r, probe)}
}

// call returns the words that a call prints.
func (p prober) call() (kind, pid, rest string) {
	p.Helper()
	result, err := p.r.Call(p.Context(), new(heard).call(p.tool))
	if err != nil {
		p.Fatal(err)
	}
	var block struct{ Text string }
	if err := json.Unmarshal(result.Content[0].JSON(), &block); err != nil {
		p.Fatal(err)
	}
	words := strings.SplitN(strings.TrimSuffix(block.Text, "\n"), " ", 3)
	return words[0], words[1], words[2]
}

// waiting returns the shell that waits for the tool, when there is one.
func (p prober) waiting() *shell {
	p.Helper()
	p.r.startShell(p.tool)
	s := &p.r.shells
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range s.waiting {
		if w.path == p.tool.Path {
			return w
		}
	}
	p.Fatal("no shell waits")
	return nil
}

func TestAShellThatWaitsRunsOneCall(t *testing.T) {
	is := is.New(t)
	p := newProber(t)
	seen := map[string]bool{}
	for range 5 {
		p.waiting()
		kind, pid, _ := p.call()
		is.Equal(kind, "ahead")
		is.True(!seen[pid]) // never the same process
		seen[pid] = true
	}
}

func TestAShellThatWaitsHasTheFolderOfItsCall(t *testing.T) {
	is := is.New(t)
	p := newProber(t)
	p.tool = newTool(p.T, p.r, strings.Replace(probe, "$OWN", "$MCP_CANCEL_FILE", 1))
	folder := p.waiting().folder.Load().path
	kind, _, rest := p.call()
	is.Equal(kind, "ahead")
	is.Equal(strings.TrimSpace(rest), filepath.Join(folder, "cancelled"))
}

func TestAShellWhoseFolderWasRemovedIsNotUsed(t *testing.T) {
	is := is.New(t)
	p := newProber(t)
	is.NoErr(os.RemoveAll(p.waiting().folder.Load().path)) // as a cleaner of old temporary files does
	kind, _, _ := p.call()
	is.Equal(kind, "fresh")
}

func TestNoShellWaitsWhereDescriptorsHaveRunOut(t *testing.T) {
	is := is.New(t)
	p := newProber(t)
	p.waiting()
	p.r.noRoom()
	is.Equal(len(p.r.shells.waiting), 0)
	p.r.startShell(p.tool)
	is.Equal(len(p.r.shells.waiting), 0)
	kind, _, _ := p.call()
	is.Equal(kind, "fresh")
}

func TestAShellThatIsNotUsedLeavesNoFolder(t *testing.T) {
	is := is.New(t)
	p := newProber(t)
	w := p.waiting()
	is.Equal(len(callFolders(t, p.r)), 1)
	w.Dismiss()
	is.NoErr(p.r.Runner.Close(0))
	is.Equal(len(callFolders(t, p.r)), 0)
}

func TestManyCallsAtOnceShareNoShell(t *testing.T) {
	p := newProber(t)
	p.waiting()
	var calls sync.WaitGroup
	var seen sync.Map
	for range 20 {
		calls.Go(func() {
			_, pid, _ := p.call()
			if _, twice := seen.LoadOrStore(pid, true); twice {
				t.Error("two calls in process " + pid)
			}
		})
	}
	calls.Wait()
}

func TestAShellThatDoesNotFitAnyMoreIsNotUsed(t *testing.T) {
	for name, change := range map[string]func(p prober){
		"the script was edited":    func(p prober) { newTool(p.T, p.r, strings.Replace(probe, "$OWN", "edited", 1)) },
		"a variable has changed":   func(p prober) { p.tool.Env = map[string]string{"OWN": "edited"} },
		"a variable was removed":   func(p prober) { delete(p.tool.Env, "ELSE"); p.tool.Env["OWN"] = "edited" },
		"it has ended":             func(p prober) { end(p) },
		"the folder is another":    func(p prober) { anotherFolder(p, "edited") },
		"bash would read BASH_ENV": func(p prober) { p.tool.Env = map[string]string{"BASH_ENV": "/dev/null", "OWN": "edited"} },
	} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			p := newProber(t)
			p.tool.Env = map[string]string{"OWN": "old", "ELSE": "x"}
			p.tool.Cwd = filepath.Join(p.r.Root, "cwd")
			is.NoErr(os.Mkdir(p.tool.Cwd, 0o700))
			p.waiting()
			change(p)
			kind, _, rest := p.call()
			is.Equal(strings.TrimSpace(kind+" "+rest), "fresh edited")
		})
	}
}

// end ends a shell that waits for the tool.
func end(p prober) {
	p.r.shells.take(p.tool.Path).Dismiss()
	p.tool.Env = map[string]string{"OWN": "edited"}
	w := p.waiting()
	w.Dismiss()
}

// anotherFolder puts another folder in the place of the one in which the tool runs.
func anotherFolder(p prober, text string) {
	if err := errors.Join(os.Rename(p.tool.Cwd, p.tool.Cwd+".old"), os.Mkdir(p.tool.Cwd, 0o700),
		os.WriteFile(filepath.Join(p.tool.Cwd, "data"), []byte(text), 0o600)); err != nil {
		p.Fatal(err)
	}
	p.tool.Env["OWN"] = "" // which is set in the shell that waits
	newTool(p.T, p.r, strings.Replace(probe, "$OWN ", "", 1))
}

func TestTheShellsThatWaitAreBounded(t *testing.T) {
	is := is.New(t)
	p := newProber(t)
	var all []*shell
	for _, name := range []string{"a", "b", "c"} {
		path := filepath.Join(p.r.Root, name)
		is.NoErr(os.WriteFile(path, []byte(probe), 0o700))
		p.tool = &project.Tool{Name: name, Path: path, InputSchema: p.tool.InputSchema, Settings: &project.Settings{}}
		all = append(all, p.waiting())
	}
	is.Equal(len(p.r.shells.waiting), 2)
	is.Equal(p.r.shells.waiting, all[1:]) // of the tools called last
}

func TestShellsThatWaitEndWithTheRunner(t *testing.T) {
	is := is.New(t)
	p := newProber(t)
	_, pid, _ := p.call()
	is.True(pid != "")
	p.waiting()
	is.NoErr(p.r.Runner.Close(0)) // waits until they are gone
	_, err := p.r.Call(t.Context(), new(heard).call(p.tool))
	is.True(errors.Is(err, script.ErrClosed)) // and nothing starts any more
}

func TestATimeLimitCountsFromTheCall(t *testing.T) {
	is := is.New(t)
	p := newProber(t)
	limit := 300 * time.Millisecond
	p.tool = newTool(t, p.r, "#!/bin/bash\nsleep 100 & sleep 100\n")
	p.tool.Timeout = &limit
	p.waiting()
	result, err := p.r.Call(t.Context(), new(heard).call(p.tool))
	is.NoErr(err)
	is.True(strings.Contains(string(encode(result)), "timed out after 0.3s"))
}

func TestOtherScriptsRunAsAlways(t *testing.T) {
	is := is.New(t)
	p := newProber(t)
	for _, head := range []string{"#! /bin/sh", "#!/bin/bash -u", "#!/usr/bin/env -S bash -u"} {
		p.tool = newTool(t, p.r, head+strings.TrimPrefix(strings.ReplaceAll(probe, "$OWN", ""), "#!/bin/bash"))
		p.r.startShell(p.tool)
		is.Equal(len(p.r.shells.waiting), 0) // head
	}
}

// All tests of this package hold for shells that were started ahead.
func TestToolsBehaveTheSameInShellsStartedAhead(t *testing.T) {
	if os.Getenv(inShellsAhead) != "" {
		t.Skip("this is already the run in shells started ahead")
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.timeout=5m")
	cmd.Env = append(os.Environ(), inShellsAhead+"=1")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Parallel() // it runs beside the others
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v\n%s", err, out.Bytes())
	}
}

func TestAShellThatWaitsIsUsedThoughItsMetadataIsInAFile(t *testing.T) {
	is := is.New(t)
	p := newProber(t)
	p.tool.Metadata = []byte(`{"name":"probe","description":"` + strings.Repeat("x", 100_000) + `"}`)
	p.waiting()
	kind, _, _ := p.call()
	is.Equal(kind, "ahead")
}
