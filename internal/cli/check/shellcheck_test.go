//go:build unix

package check

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/matryer/is"
)

// careless has scripts that a shell accepts and shellcheck does not.
const careless = good + `
-- tools/good/tool.sh --
#!/bin/bash
rm $(ls)
-- lib/a.sh --
a=1
cd "$dir"
# shellcheck disable=SC2164
cd "$dir"
echo $1
`

// program writes a shell script that stands for shellcheck.
func program(t *testing.T, lines string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "shellcheck")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+lines+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestWhatShellcheckSaysIsAWarningWithItsPlace(t *testing.T) {
	is := is.New(t)
	o := options()
	var err error
	if o.ShellCheck, err = exec.LookPath("shellcheck"); err != nil {
		t.Skip("shellcheck is not installed")
	}
	r := checked(t, folderOf(t, careless), o)
	is.Equal(rules(r), "warning SC2164 lib/a.sh:2:1\nwarning SC2046 tools/good/tool.sh:2:4") // no advice on style
	is.Equal(r.Messages[1].Message, "Quote this to prevent word splitting. (SC2046)")
	is.Equal(r.Messages[1].Hint, "https://www.shellcheck.net/wiki/SC2046")
	is.Equal(r.Messages[1].Section, "tools")
	const copied = careless + "-- tools/good/.tool.adopted.json --\n{}\n"
	is.Equal(rules(checked(t, folderOf(t, copied), o)), "warning SC2164 lib/a.sh:2:1") // not of a script from elsewhere
	o.ShellCheck = ""
	is.Equal(rules(checked(t, folderOf(t, careless), o)), "") // it is not installed
}

func TestShellcheckIsRunOnceForAllScriptsThatCanBeRead(t *testing.T) {
	is := is.New(t)
	o := options()
	ran := filepath.Join(t.TempDir(), "ran")
	o.ShellCheck = program(t, `while [ "$1" != -- ]; do shift; done; shift; echo "$@" >>`+ran+`; echo '{"comments":[]}'`)
	root := folderOf(t, careless+"-- lib/broken.sh --\nif\n-- lib/other.sh --\n#!/usr/bin/python3\n")
	is.Equal(rules(checked(t, root, o)), "warning syntax lib/broken.sh:1:1")
	got, err := os.ReadFile(ran)
	is.NoErr(err)
	is.Equal(string(got), filepath.Join(root, "lib/a.sh")+" "+filepath.Join(root, "tools/good/tool.sh")+"\n")
}

func TestAShellcheckThatFailsIsTold(t *testing.T) {
	is := is.New(t)
	o := options()
	o.ShellCheck = program(t, "echo 'no option json1' >&2; exit 4")
	r := checked(t, folderOf(t, good), o)
	is.Equal(strings.TrimSpace(rules(r)), "warning shellcheck")
	is.Equal(r.Messages[0].Message, "shellcheck did not check the scripts: no option json1")
}
