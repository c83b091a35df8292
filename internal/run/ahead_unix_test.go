//go:build unix

package run

import (
	"regexp"
	"strings"
	"testing"

	"github.com/matryer/is"
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
				out[i] = digits.ReplaceAllString(out[i], "call.N")
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

var digits = regexp.MustCompile(`call\.[0-9A-Za-z]+`)

// wasAhead is a script that reports whether its shell was started ahead: its first environment
// stays to be seen.
const wasAhead = `#!/bin/bash
if tr '\0' '\n' </proc/$$/environ | grep -q ^BASH_ENV=; then echo "ahead"; else echo "fresh"; fi
`
