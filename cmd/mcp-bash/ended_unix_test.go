//go:build unix

package main

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/ptytest"
	"github.com/mcp-bash/mcp-bash/v2/internal/waittest"
)

// slowToPack makes a project that takes seconds to pack. temp is where the program puts its temporary files.
func slowToPack(t *testing.T) (root, temp string, env []string) {
	t.Helper()
	root, env = terminalProject(t, nil)
	data := filepath.Join(root, "tools", "greet", "data")
	if err := errors.Join(os.WriteFile(data, nil, 0o644), os.Truncate(data, large)); err != nil {
		t.Fatal(err)
	}
	temp = t.TempDir()
	return root, temp, append(env, "TMPDIR="+temp)
}

// namesIn returns the names of what is in a folder.
func namesIn(t *testing.T, folder string) string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

func TestPackingThatIsEndedLeavesNothingBehind(t *testing.T) {
	for name, s := range map[string]syscall.Signal{"by a request": syscall.SIGTERM, "with its terminal": syscall.SIGHUP} {
		t.Run(name, func(t *testing.T) {
			if signal.Ignored(s) {
				t.Skip("these tests were started with nohup, so the program ignores the signal")
			}
			is := is.New(t)
			root, temp, env := slowToPack(t)
			out := t.TempDir()
			x := ptytest.Start(t, ptytest.Options{Env: env}, "mcp-bash", "bundle", "-C", root, "--output", out)
			x.See("packing")
			x.Signal(s)
			is.Equal(x.Wait(), interrupted)
			is.Equal(namesIn(t, out), "")  // not even a part of the bundle
			is.Equal(namesIn(t, temp), "") // nor the lists that go into it
		})
	}
}

func TestPackingEndsWhenNobodyReadsItsOutput(t *testing.T) {
	is := is.New(t)
	root, temp, env := slowToPack(t)
	out := t.TempDir()
	r, w, err := os.Pipe()
	is.NoErr(err)
	is.NoErr(r.Close())
	cmd := exec.Command("mcp-bash", "bundle", "-C", root, "--output", out, "--verbose")
	cmd.Env, cmd.Stdout = append(os.Environ(), env...), w
	is.True(cmd.Run() != nil)
	is.NoErr(w.Close())
	is.Equal(cmd.ProcessState.ExitCode(), interrupted)
	is.Equal(namesIn(t, out), "")
	is.Equal(namesIn(t, temp), "")
}

func TestACopyOfTheProgramThatIsEndedLeavesTheOneBeforeOrTheNewOne(t *testing.T) {
	is := is.New(t)
	root, env := terminalProject(t, nil)
	run := func(args ...string) *exec.Cmd {
		cmd := exec.Command("mcp-bash", append(args, "-C", root)...)
		cmd.Env = append(os.Environ(), env...)
		return cmd
	}
	is.NoErr(run("vendor").Run())
	bin := filepath.Join(root, ".mcp-bash", "bin")
	upgrade := run("vendor", "--upgrade")
	is.NoErr(upgrade.Start())
	ended := make(chan error, 1)
	go func() { ended <- upgrade.Wait() }()
	waittest.Until(t, "the copy has begun", func() bool { return len(ended) > 0 || namesIn(t, bin) != "mcp-bash" })
	_ = upgrade.Process.Signal(syscall.SIGTERM) // it may be faster
	<-ended
	is.Equal(namesIn(t, bin), "mcp-bash") // and no part of it
	is.NoErr(run("vendor", "--verify").Run())
}
