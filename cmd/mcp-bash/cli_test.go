package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/mcp-bash/mcp-bash/v2/e2e/rig"
	"github.com/mcp-bash/mcp-bash/v2/internal/jq"
	"github.com/mcp-bash/mcp-bash/v2/pipeline/pipetest"
	"github.com/mcp-bash/mcp-bash/v2/server"
)

func TestMain(m *testing.M) {
	if code, ran := server.RanGuard(os.Args[1:], os.Stderr); ran {
		os.Exit(code) // a server started its guard; without this, that would run all tests again
	}
	if slices.Contains(jq.Names, filepath.Base(os.Args[0])) {
		main() // through the link that scripts find
	}
	os.Exit(withProgram(m.Run))
}

// withProgram builds the program, and has it in the PATH as long as run.
func withProgram(run func() int) int {
	dir, err := os.MkdirTemp("", "mcp-bash-cli.")
	if err == nil {
		defer os.RemoveAll(dir)
		err = rig.BuildTagged("recorded", dir, "mcp-bash")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	os.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	return run()
}

func TestTheCommandLine(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       *pipetest.Update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup:               checkTraffic,
		Condition:           condition,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "converse": converse, "far": far,
		},
	})
}

// condition is what scripts can ask for besides the conditions of testscript: [root].
func condition(name string) (bool, error) {
	if name != "root" {
		return false, errors.New("unknown condition " + name)
	}
	return os.Geteuid() == 0, nil
}

// exits runs a command that must end with an exit code:
//
//	exits 2 mcp-bash --nope
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits code command [args...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, should be %d", got, want)
	}
}
