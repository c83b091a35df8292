//go:build unix

package process

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/matryer/is"
)

func TestWhyACommandCannotStart(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	write := func(name, contents string, mode os.FileMode) string {
		if err := os.WriteFile(in(name), []byte(contents), mode); err != nil {
			t.Fatal(err)
		}
		return in(name)
	}
	plain := write("plain.txt", "no program", 0o644)
	if err := os.Symlink("nowhere", in("link")); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(in("fifo"), 0o755); err != nil {
		t.Fatal(err)
	}

	// A program for another processor: an ELF header with a machine that does not exist.
	elf := append([]byte("\x7fELF\x02\x01\x01"), make([]byte, 57)...)
	binary.LittleEndian.PutUint16(elf[16:], 2)
	binary.LittleEndian.PutUint16(elf[18:], 0xfffe)

	for _, tt := range []struct {
		name         string
		command      Command
		reason, hint string // parts
		is           error
	}{
		{"no path", Command{},
			"the file does not exist", "check the path", fs.ErrNotExist},
		{"missing", Command{Path: in("missing")},
			"the file does not exist", "check the path", fs.ErrNotExist},
		{"below a file", Command{Path: plain + "/tool"},
			"cannot be looked at: not a directory", "folders", syscall.ENOTDIR},
		{"dangling link", Command{Path: in("link")},
			"a link to nowhere, which does not exist", "repair the link", fs.ErrNotExist},
		{"a folder", Command{Path: dir},
			"it is a folder", "name the program in it", nil},
		{"a fifo", Command{Path: in("fifo")},
			"not a regular file", "name a program", nil},
		{"empty", Command{Path: write("empty.sh", "", 0o755)},
			"the file is empty", "#!/usr/bin/env bash", nil},
		{"not executable, nothing known", Command{Path: plain},
			"it is not executable", "chmod +x " + plain + ", if it is a program", fs.ErrPermission},
		{"no #! line", Command{Path: write("bare", "echo hello\n", 0o755)},
			"its first line names no interpreter", "begin the file with a line like", syscall.ENOEXEC},
		{"BOM", Command{Path: write("bom", "\xef\xbb\xbf#!/bin/sh\n", 0o755)},
			"a byte order mark", "UTF-8 without BOM", syscall.ENOEXEC},
		{"a program for Windows", Command{Path: write("tool.exe", "MZ\x90\x00\x03", 0o755)},
			"built for another system or processor", "get the program for this system, " + runtime.GOOS, syscall.ENOEXEC},
		{"empty #! line", Command{Path: write("hash", "#!\necho\n", 0o755)},
			"names no interpreter", "#!/usr/bin/env bash", syscall.ENOEXEC},
		{"missing interpreter", Command{Path: write("gone", "#! /opt/no/bash5 -e\n", 0o755)},
			"the interpreter /opt/no/bash5 in its #! line does not exist", "install it", fs.ErrNotExist},
		{"interpreter is a folder", Command{Path: write("folder", "#!"+dir+"\n", 0o755)},
			"the interpreter " + dir + " in its #! line is a folder", "change the line", fs.ErrPermission},
		{"interpreter is not executable", Command{Path: write("noexec", "#!"+plain+"\n", 0o755)},
			"the interpreter " + plain + " in its #! line may not be executed", "change the line", fs.ErrPermission},
		{"CR LF", Command{Path: write("crlf", "#!/bin/sh\r\necho\r\n", 0o755)},
			"CR LF", "sed -i", fs.ErrNotExist},
		{"CR LF after env", Command{Path: write("crlfenv", "#!/usr/bin/env sh\r\necho\r\n", 0o755), Env: []string{"PATH=" + os.Getenv("PATH")}},
			"CR LF", "sed -i", fs.ErrNotExist},
		{"CR LF after an option", Command{Path: write("crlfoption", "#!/bin/sh -e\r\necho\r\n", 0o755)},
			"CR LF", "sed -i", fs.ErrNotExist},
		{"interpreter not on PATH", Command{Path: write("env", "#!/usr/bin/env no-such-thing\n", 0o755)},
			`the interpreter "no-such-thing" in its #! line is not on PATH`, "install it", fs.ErrNotExist},
		{"env -S, not on PATH", Command{Path: write("envs", "#!/usr/bin/env -S A=1 no-such-thing -x\n", 0o755)},
			`the interpreter "no-such-thing" in its #! line is not on PATH`, "install it", fs.ErrNotExist},
		{"NUL in the path", Command{Path: "/bin/\x00sh"},
			"its path or working folder contains a NUL", "remove it", syscall.EINVAL},
		{"NUL in an argument", Command{Path: "/bin/sh", Args: []string{"a", "b\x00c"}},
			"its arguments contain a NUL", "remove it", syscall.EINVAL},
		{"NUL in the environment", Command{Path: "/bin/sh", Env: []string{"A=1", "B=\x00"}},
			"its environment contains a NUL", "remove it", syscall.EINVAL},
		{"NUL in the folder", Command{Path: "/bin/sh", Dir: "/\x00"},
			"its path or working folder contains a NUL", "remove it", syscall.EINVAL},
		{"missing folder", Command{Path: "/bin/sh", Dir: in("missing")},
			"its working folder " + in("missing") + " does not exist", "create the folder", fs.ErrNotExist},
		{"folder is a file", Command{Path: "/bin/sh", Dir: plain},
			"its working folder " + plain + " is not a folder", "name a folder", syscall.ENOTDIR},
		{"folder below a file", Command{Path: "/bin/sh", Dir: plain + "/x"},
			"cannot be used: not a directory", "permissions", syscall.ENOTDIR},
		{"relative to the folder", Command{Path: "./no.sh", Dir: dir},
			"the file does not exist", "check the path", fs.ErrNotExist},
		{"too long", Command{Path: "/bin/sh", Args: []string{"-c"}, Env: []string{"A=1", "BIG=" + strings.Repeat("x", 8<<20)}},
			"too long for the system: variable BIG has 8388612 bytes", "through a file", syscall.E2BIG},
		{"too long an argument", Command{Path: "/bin/sh", Args: []string{strings.Repeat("x", 8<<20)}},
			"too long for the system: argument 1 has 8388608 bytes", "through a file", syscall.E2BIG},
		{"another processor", Command{Path: write("elf", string(elf), 0o755)},
			"built for another system or processor", runtime.GOOS + "/" + runtime.GOARCH, syscall.ENOEXEC},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			var out, errs Head
			tt.command.Stdout, tt.command.Stderr = &out, &errs
			res, err := runner.Run(t.Context(), tt.command)
			var e *StartError
			is.True(errors.As(err, &e))                    // a typed error
			is.True(strings.Contains(e.Reason, tt.reason)) // that says why
			is.True(strings.Contains(e.Hint, tt.hint))     // and what to do
			is.Equal(e.Path, tt.command.Path)
			is.Equal(e.Error(), "cannot start "+e.Path+": "+e.Reason+"; "+e.Hint)
			is.True(res.ExitCode != 0)
			if tt.is != nil {
				is.True(errors.Is(err, tt.is)) // the system's error is inside
			}
			if t.Failed() {
				t.Logf("%v (%v)", err, e.Err)
			}
		})
	}
}

func TestEnvNeedsSToSplitItsArgument(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux passes a #! line's words to env as one argument")
	}
	is := is.New(t)
	_, err := runner.Run(t.Context(), Command{Path: file(t, "tool", "#!/usr/bin/env sh -e\n", 0o755)})
	var e *StartError
	is.True(errors.As(err, &e))
	is.Equal(e.Hint, "write #!/usr/bin/env -S sh -e")
}

func TestAnExitCodeOfTheScriptsOwnIsNoStartError(t *testing.T) {
	path := "PATH=" + os.Getenv("PATH")
	for name, lines := range map[string]string{
		"a missing command":           "#!/usr/bin/env bash\nno-such-thing\n",
		"a missing command, env -S":   "#!/usr/bin/env -S bash -e\nno-such-thing\n",
		"a missing command, directly": "#!/bin/sh\nno-such-thing\n",
		"by choice":                   "#!/usr/bin/env sh\nexit 127\n",
	} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			res, err := runner.Run(t.Context(), Command{Path: file(t, "tool", lines, 0o755), Env: []string{path}})
			is.NoErr(err)
			is.Equal(res.ExitCode, 127)
		})
	}
}

func TestAFileThatIsBeingSavedIsTriedAgain(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux refuses to start a script that is open for writing")
	}
	is := is.New(t)
	path := file(t, "tool", "#!/bin/sh\necho saved\n", 0o755)
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	is.NoErr(err)
	_, err = runner.Run(t.Context(), Command{Path: path})
	var e *StartError
	if !errors.As(err, &e) {
		t.Skip("this kernel starts scripts that are open for writing, so nothing has to be tried again")
	}
	is.Equal(e.Reason, "another program has it open for writing") // for too long

	time.AfterFunc(20*time.Millisecond, func() { f.Close() })
	is.Equal(outputOf(t, Command{Path: path}), "saved\n")
}
