//go:build unix

package sdk

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/waittest"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

// crashes is why Bash 3.2 is not tested with many signals.
const crashes = "runs the trap of a signal within the handler of the signal, and sometimes crashes"

// inNewerBash skips a test in Bash 3.2, which has a fault.
func inNewerBash(t *testing.T, fault string) {
	t.Helper()
	if out, err := exec.Command(bash(t), "-c", `echo "${BASHPID-}"`).Output(); err != nil || len(out) == 1 {
		t.Skip("Bash 3.2 " + fault)
	}
}

// interrupted sends USR1 to the script, whose process id is in the file "pid", while a helper that logs waits for its
// reply. When there is a file "trapped" the helper gets it, and then there is a file "replied".
func (x *tool) interrupted(t *testing.T) {
	var dir string
	x.prepared = func(d string) { dir = d }
	x.opened = make(chan *Channel, 1)
	log := x.call.Log
	x.call.Log = func(ctx context.Context, p mcp.LogParams) error {
		text, err := os.ReadFile(filepath.Join(dir, "pid"))
		if err != nil {
			return err
		}
		pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
		if err != nil {
			return err
		}
		if err := syscall.Kill(pid, syscall.SIGUSR1); err != nil {
			return err
		}
		waittest.Until(t, "the trap runs", func() bool {
			_, err := os.Stat(filepath.Join(dir, "trapped"))
			return err == nil
		})
		c := <-x.opened
		go func() {
			waittest.Until(t, "the reply is sent", func() bool {
				c.mu.Lock()
				defer c.mu.Unlock()
				return len(c.working) == 0
			})
			_ = os.WriteFile(filepath.Join(dir, "replied"), nil, 0o600)
		}()
		return log(ctx, p)
	}
}

// trapped is a script with the trap.
const trapped = `
trapped() {
	echo >trapped
	until [ -e replied ]; do :; done
	%s
}
trap trapped USR1
echo $$ >pid
`

func TestAHelperGetsItsReplyThoughATrapUsesAHelperMeanwhile(t *testing.T) {
	inNewerBash(t, crashes)
	for _, use := range []string{"mcp_args_get -v x .name//1", "x=`mcp_args_get .name//1`", "mcp_args_get .name//1 | { read -r x; echo \"$x\" >x; }; read -r x <x"} {
		t.Run(use, func(t *testing.T) {
			is := is.New(t)
			x := connected(nil)
			x.call.Args = []byte(ada)
			x.interrupted(t)
			e := x.run(t, fmt.Sprintf(trapped, use+`; [ "$x" = Ada ] || echo "got $x"`)+`mcp_log_info main waits; mcp_args_get .name//1`)
			is.Equal(e.String(), `stdout "Ada\n", stderr "", code 0`)
			is.Equal(x.heard.String(), `info "main" "waits"`)
		})
	}
}

func TestALostReplyIsAskedForThoughTheServerWritesEmptyLines(t *testing.T) {
	inNewerBash(t, crashes)
	t.Parallel()
	is := is.New(t)
	x := connected(nil)
	x.call.Args = []byte(ada)
	x.interrupted(t)
	e := x.run(t, fmt.Sprintf(trapped, `until IFS= read -r -u "$_mcp_replies" reply && [ -n "$reply" ]; do :; done`)+`
(_mcp_rare _mcp_take) # and ends, so that the server restores the lock, and writes empty lines from then on
mcp_args_get .name//1
mcp_log_info main waits`)
	is.Equal(e.String(), `stdout "Ada\n", stderr "", code 0`)
	is.Equal(x.heard.String(), `info "main" "waits"`)
}

// DEBUG traps come between any two commands, those of helpers too.
func TestATrapBetweenAnyTwoCommandsOfAHelperMayUseAHelper(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	x := connected(nil)
	x.call.Args = []byte(ada)
	e := x.run(t, `
set -T
between() {
	n=$((n + 1))
	[ "$n" != "$turn" ] || mcp_jq -v inner .x '{"x":"inner"}'
}
for ((turn = 1, n = 1; n >= turn; turn++)); do
	n=0 inner='' outer=''
	trap between DEBUG
	mcp_args_get -v outer .name//1
	trap - DEBUG
	[ "$outer $inner" = 'Ada inner' ] || ((n < turn)) || echo "$turn: $outer, $inner"
done
((turn > 20)) || echo "only $turn commands"
_mcp_rare _mcp_take
! read -r -t 1 -n 1 -u "$_mcp_lock" || echo 'two hold the lock'`)
	is.Equal(e.String(), `stdout "", stderr "", code 0`)
}

// Each signal that comes while a trap waits for the output of a helper runs the trap again.
func TestHelpersOfManyTrapsAtOnceGetTheirReplies(t *testing.T) {
	inNewerBash(t, crashes)
	t.Parallel()
	is := is.New(t)
	x := connected(nil)
	x.call.Args = []byte(ada)
	began := time.Now()
	e := x.run(t, `
trap 'n=`+"`_mcp_do pause 0.05; mcp_args_get .name//1`"+`; [ "$n" = Ada ] || echo "trap got $n"' USR1
trap 'mcp_log_info exit bye' EXIT
(
	for i in 0 1 2 3 4 5 6 7 8 9; do
		kill -USR1 $$
		for ((j = 0; j < 3000; j++)); do :; done
	done
) &
for i in 0 1 2 3 4 5 6 7 8 9; do
	_mcp_do pause 0.05
	mcp_args_get -v m .name//1
	[ "$m" = Ada ] || echo "got $m"
done
wait || wait
echo done`)
	is.Equal(e.String(), `stdout "done\n", stderr "", code 0`)
	is.True(time.Since(began) < 10*time.Second)
}

func TestATrapMayUseHelpersAtAnyTime(t *testing.T) {
	inNewerBash(t, crashes)
	for _, mode := range []string{"", "--posix"} {
		t.Run("mode "+mode, func(t *testing.T) {
			is := is.New(t)
			x := connected(nil)
			x.shell, x.call.Args = strings.Fields(bash(t)+" "+mode), []byte(ada)
			e := x.run(t, strings.ReplaceAll(`
trap 'mcp_log_info trap BACKmcp_args_get .name//1BACK' USR1
trap 'mcp_log_info exit bye' EXIT
(
	for i in 0 1 2 3 4 5 6 7 8 9; do
		for ((j = 0; j < 1000; j++)); do :; done
		kill -USR1 $$ || :
	done
) &
for i in 0 1 2 3 4 5 6 7 8 9; do
	for j in 0 1 2 3 4 5 6 7 8 9; do
		n=BACKmcp_args_get .name//1BACK
		mcp_args_get -v m .name//1
		[ "$n$m" = AdaAda ] || echo "got $n and $m"
	done
done
wait || wait
echo done`, "BACK", "`"))
			is.Equal(e.String(), `stdout "done\n", stderr "", code 0`)
			is.True(strings.HasSuffix(x.heard.String(), `info "exit" "bye"`)) // after all others
			t.Log(x.heard.String())
			is.True(strings.Contains(x.heard.String(), `info "trap" "Ada"`))
		})
	}
}

func TestAHolderOfALostLockThatWasOnlyStoppedDoesNoHarm(t *testing.T) {
	inNewerBash(t, "has no BASHPID, so that the numbers of requests are not unique and one may be executed twice")
	t.Parallel()
	is := is.New(t)
	x := connected(nil)
	x.call.Args = []byte(ada)
	var dir string
	x.prepared = func(d string) {
		dir = d
		taken, err := makeFIFO(filepath.Join(dir, "taken"))
		is.NoErr(err)
		t.Cleanup(func() { taken.Close() })
	}
	var once sync.Once
	log := x.call.Log
	x.call.Log = func(ctx context.Context, p mcp.LogParams) error {
		err := log(ctx, p)
		once.Do(func() { // its helper waits for the reply
			err = errors.Join(err, syscall.Kill(pidIn(dir), syscall.SIGSTOP), os.WriteFile(filepath.Join(dir, "taken"), []byte("\n"), 0))
		})
		return err
	}
	e := x.run(t, `
(
	/bin/sh -c 'echo "$PPID" >pid; exit'
	mcp_log_info late "$(mcp_args_get '(.name)')"
	mcp_log_info late again
) &
read -r _ <taken
mcp_log_info early "$(mcp_args_get '(.name)')"
kill -CONT "$(<pid)"
wait
mcp_args_get '(.name)'`)
	is.Equal(e.String(), `stdout "Ada\n", stderr "", code 0`)
	is.Equal(x.heard.String(), `info "late" "Ada"`+"\n"+`info "early" "Ada"`+"\n"+`info "late" "again"`) // each one once
}

// pidIn returns the process id in the file "pid", 0 if there is none.
func pidIn(dir string) int {
	text, err := os.ReadFile(filepath.Join(dir, "pid"))
	if err != nil {
		return 0
	}
	pid, _ := strconv.Atoi(strings.TrimSpace(string(text)))
	return pid
}
