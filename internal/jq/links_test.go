package jq

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/matryer/is"
)

func TestOurJQIsRestoredAfterACleanup(t *testing.T) {
	is := is.New(t)
	t.Setenv("PATH", t.TempDir()) // without a jq
	program, err := os.Executable()
	is.NoErr(err)
	state := t.TempDir()
	dir := filepath.Join(state, "bin")
	jq := NewLinks(program, dir)
	env := jq.Give([]string{"PATH=/bin"})
	is.Equal(env[0], "PATH=/bin"+string(os.PathListSeparator)+dir) // last, so that another jq comes first
	keep := jq.Keep(func(err error) { t.Error(err) })
	for _, gone := range []string{state, dir, filepath.Join(dir, fileName("jq")), filepath.Join(dir, "none")} {
		is.NoErr(os.RemoveAll(gone))
		keep()
		for _, name := range Names {
			_, err := os.Stat(filepath.Join(dir, fileName(name)))
			is.NoErr(err) // tools can call it
		}
	}
}

func TestAMissingJQIsReportedOnce(t *testing.T) {
	is := is.New(t)
	t.Setenv("PATH", t.TempDir())
	file := filepath.Join(t.TempDir(), "file")
	is.NoErr(os.WriteFile(file, nil, 0o600))
	jq := NewLinks("program", filepath.Join(file, "bin")) // where nothing can be created
	reports := 0
	keep := jq.Keep(func(error) { reports++ })
	keep()
	keep()
	is.Equal(reports, 1)
}

func TestTheProgramIsJQIfStartedByThatName(t *testing.T) {
	is := is.New(t)
	is.True(IsLink("jq"))
	is.True(IsLink(filepath.Join(t.TempDir(), fileName("gojq"))))
	is.True(!IsLink("mcp-bash"))
	is.Equal(IsLink("JQ.EXE"), runtime.GOOS == "windows")
}

func TestWithoutOurProgramScriptsUseTheJQOfTheMachine(t *testing.T) {
	is := is.New(t)
	t.Setenv("PATH", t.TempDir())
	dir := filepath.Join(t.TempDir(), "bin")
	jq := NewLinks("", dir)
	is.Equal(jq.Give([]string{"PATH=/bin"}), []string{"PATH=/bin"})
	jq.Keep(func(err error) { t.Error(err) })()
	_, err := os.Stat(dir)
	is.True(os.IsNotExist(err)) // nothing is created
}
