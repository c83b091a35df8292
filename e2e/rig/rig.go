// Package rig contains helpers for tests of the built binary in several packages.
package rig

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Patience is the timeout of operations on a busy machine.
const Patience = 60 * time.Second

// Flags are those of go build, for what is built within tests: the same file wherever the code is, so
// that the cache of Go has most of it, and nothing for debuggers, which halves the time of the linker.
// With them belongs CGO_ENABLED=0, as in a release.
const Flags = "-trimpath -ldflags=-s"

// Build builds the programs in cmd with these names into a folder. Except on Windows they are copies of what go run
// keeps in the cache of Go, so that each is linked once for all packages with such tests.
func Build(dir string, names ...string) error { return BuildTagged("", dir, names...) }

// BuildTagged is [Build] with a build tag.
func BuildTagged(tag, dir string, names ...string) error {
	for _, name := range names {
		main := "github.com/mcp-bash/mcp-bash/v2/cmd/" + name
		if out, err := Package(".", main, filepath.Join(dir, name), "-tags="+tag); err != nil {
			return fmt.Errorf("building %s: %w\n%s", name, err, out)
		}
	}
	return nil
}

// Package builds a package as the file to, as [Build] does. The package is of the module in a folder, or of one that it
// requires. It returns what the go command wrote.
func Package(module, pkg, to string, flags ...string) (output []byte, err error) {
	flags = slices.Concat(strings.Fields(Flags), flags, []string{pkg})
	args := slices.Concat([]string{"-C", module, "run", "-exec", "cp"}, flags, []string{to})
	if runtime.GOOS == "windows" {
		args = slices.Concat([]string{"-C", module, "build", "-o", filepath.Dir(to) + string(filepath.Separator)}, flags)
	}
	cmd := exec.Command("go", args...)
	cmd.Env = append(cmd.Environ(), "CGO_ENABLED=0")
	return cmd.CombinedOutput()
}

// Start starts a program and returns the pipes to its stdin and from its stdout.
func Start(t testing.TB, cmd *exec.Cmd) (io.WriteCloser, io.ReadCloser) {
	t.Helper()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return in, out
}

// WriteProgram writes an executable file, and the folders above it. It blocks forks in the
// meantime: a forked child would hold the file open for writing until exec, and such a file cannot
// be started ("text file busy").
func WriteProgram(t testing.TB, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// CopyPrograms copies a folder with executable files; see [WriteProgram].
func CopyPrograms(t testing.TB, to, from string) {
	t.Helper()
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
}

// Settle waits for the next tick of the file system's clock: files that are created in the tick of a
// server's first answer are reported as changes.
func Settle(t testing.TB) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "clock")
	made := func() time.Time {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info.ModTime()
	}
	for first := made(); !made().After(first); {
	}
}
