//go:build unix

package process

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/matryer/is"
)

func TestAScriptThatTheSystemWouldNotStartIsRunByItsInterpreter(t *testing.T) {
	env := []string{"PATH=" + os.Getenv("PATH")}
	const says = `echo "${BASH_VERSION:+bash} $1 ${0##*/}"`
	for _, c := range []struct {
		name, text, want string
		mode             os.FileMode
	}{
		{"lost", "#!/usr/bin/env bash\n" + says, "bash one lost\n", 0o644},
		{"lost.sh", "#!/usr/bin/env bash\n" + says, "bash one lost.sh\n", 0o600},
		{"direct", "#!/bin/bash -e\nfalse\n" + says, "", 0o644},
		{"split", "#!/usr/bin/env -S A=1 bash\n" + says + "\necho $A", "bash one split\n1\n", 0o644},
		{"bare.sh", says, "bash one bare.sh\n", 0o755},
		{"barelost.sh", says, "bash one barelost.sh\n", 0o644},
		{"bare.bash", says, "bash one bare.bash\n", 0o644},
		{"windows.sh", "#!/usr/bin/env bash\r\n" + says, "bash one windows.sh\n", 0o644},
		{"with a blank's.sh", says, "bash one with a blank's.sh\n", 0o644},
		{"-e.sh", says, "bash one -e.sh\n", 0o644},
	} {
		t.Run(c.name, func(t *testing.T) {
			is := is.New(t)
			path := file(t, c.name, c.text, c.mode)
			out := Head{Limit: 1 << 10}
			_, err := runner.Run(t.Context(), Command{Path: path, Args: []string{"one"}, Env: env, Stdout: &out})
			is.NoErr(err)
			is.Equal(string(out.Bytes()), c.want)
		})
	}
}

func TestALineWithEnvMeansWhatItMeansToEnv(t *testing.T) {
	const says = "\n" + `echo "$0 $BASH_SOURCE $BASH $- $# $* $A"; env | grep -v -e ^_= -e ^MCPBASH_RUN_ID | sort; exit 3` + "\n"
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Fatal(err)
	}
	folders := t.TempDir()
	for _, dir := range []string{"link", "folder/bash", "mode", "text", "broken"} {
		if err := os.MkdirAll(filepath.Join(folders, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write := func(name, text string, mode os.FileMode) {
		if err := os.WriteFile(filepath.Join(folders, name), []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	write("mode/bash", "#!/bin/sh\necho has no mode\n", 0o644)
	write("text/bash", "echo text \"$@\"; exit 4\n", 0o755)
	write("broken/bash", "#!/nowhere\n", 0o755)
	if err := os.Symlink(bash, filepath.Join(folders, "link/bash")); err != nil {
		t.Fatal(err)
	}
	usual := filepath.Dir(bash) + ":/usr/bin:/bin"
	in := func(dir string) string { return filepath.Join(folders, dir) + ":" + usual }
	for _, c := range []struct {
		line  string
		path  []string // PATH, if there is one
		plain bool     // it is started without env
	}{
		{line: "/usr/bin/env bash", path: []string{usual}, plain: true},
		{line: " /usr/bin/env\tbash ", path: []string{usual}, plain: true},
		{line: "/bin/env bash", path: []string{usual}, plain: true},
		{line: "/usr/bin/env -S bash -eu -o pipefail", path: []string{usual}, plain: true},
		{line: "/usr/bin/env -Sbash  -e", path: []string{usual}, plain: true},
		{line: "/usr/bin/env bash", path: []string{in("link")}, plain: true},
		{line: "/usr/bin/env bash", path: []string{in("nowhere")}, plain: true},
		{line: "/usr/bin/env bash", path: []string{in("folder")}, plain: true},
		{line: "/usr/bin/env bash", path: []string{in("mode")}, plain: true},
		{line: "/usr/bin/env bash", path: []string{in("text")}, plain: true}, // tried, and left to env
		{line: "/usr/bin/env bash", path: []string{in("broken")}, plain: true},
		{line: "/usr/bin/env bash", path: []string{filepath.Join(folders, "nowhere")}},
		{line: "/usr/bin/env bash", path: []string{":" + usual}},
		{line: "/usr/bin/env bash", path: []string{"sub:" + usual}},
		{line: "/usr/bin/env bash", path: []string{""}},
		{line: "/usr/bin/env bash"},
		{line: "/usr/bin/env bash -e", path: []string{usual}},
		{line: "/usr/bin/env -i bash", path: []string{usual}},
		{line: "/usr/bin/env -S -i bash", path: []string{usual}},
		{line: "/usr/bin/env -S A=1 bash", path: []string{usual}},
		{line: "/usr/bin/env -S bash -c 'echo \"one $0\"'", path: []string{usual}},
		{line: "/usr/bin/env -S bash -${A}e", path: []string{usual}},
		{line: "/usr/bin/env -S bash #-e", path: []string{usual}},
		{line: "/usr/bin/env " + bash, path: []string{usual}},
		{line: "/usr/bin/env bash\r", path: []string{usual}},
		{line: "/usr/bin/env -S bash " + strings.Repeat("-e ", 100), path: []string{usual}},
	} {
		t.Run(c.line, func(t *testing.T) {
			is := is.New(t)
			env := []string{"HOME=/h", "SHELL=/bin/sh"}
			for _, p := range c.path {
				env = append(env, "PATH="+p)
			}
			path := file(t, "tool", "#!"+c.line+says, 0o755)
			theirs := exec.Command(path, "a", "b c")
			theirs.Env, theirs.Dir = env, folders
			want, _ := theirs.Output()
			ours := Command{Path: path, Args: theirs.Args[1:], Env: env, Dir: folders}
			var got Head
			got.Limit = 1 << 20
			ours.Stdout = &got
			res, err := runner.Run(t.Context(), ours)
			is.Equal(got.Text(), string(want))
			var refused *StartError
			if !errors.As(err, &refused) {
				is.NoErr(err)
				is.Equal(res.ExitCode, theirs.ProcessState.ExitCode())
			}
			ready, _ := started(ours)
			is.Equal(ready.name != "", c.plain && runtime.GOOS == "linux")
		})
	}
}

func TestOfTwoPathsEnvChooses(t *testing.T) {
	is := is.New(t)
	is.True(execvp("sh", []string{"PATH=/bin"}) != "")
	is.Equal(execvp("sh", []string{"PATH=/bin", "A=1", "PATH=/usr/bin"}), "")
}

func TestAScriptIsNamedToItsInterpreterAsTheSystemWould(t *testing.T) {
	is := is.New(t)
	path := file(t, "tool", "#!/usr/bin/env bash\necho \"$0 $BASH_SOURCE\"", 0o755)
	env := []string{"PATH=" + os.Getenv("PATH")}
	is.Equal(outputOf(t, Command{Path: path, Env: env}), path+" "+path+"\n")
	is.Equal(outputOf(t, Command{Path: "./tool", Dir: filepath.Dir(path), Env: env}), "./tool ./tool\n")
	is.Equal(outputOf(t, Command{Path: "tool", Dir: filepath.Dir(path), Env: env}), "tool tool\n")
}
