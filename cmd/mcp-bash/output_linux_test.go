package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/matryer/is"
)

func TestWhatCannotBeWrittenToStdoutIsAFailure(t *testing.T) {
	root, err := filepath.Abs("../../examples/00-hello-tool")
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"list"}, {"list", "--json"}, {"validate"}, {"doctor"}, {"help"}, {"list", "--help"}, {"example"}, {"version"}} {
		t.Run(args[len(args)-1], func(t *testing.T) {
			is := is.New(t)
			null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
			is.NoErr(err)
			defer null.Close()
			full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
			is.NoErr(err)
			defer full.Close()
			said, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
			is.NoErr(err)
			defer said.Close()
			is.Equal(execute(append([]string{"-C", root}, args...), streams{null, full, said}, os.Environ()), 1)
			text, err := os.ReadFile(said.Name())
			is.NoErr(err)
			is.Equal(string(text), "mcp-bash: write /dev/full: no space left on device\n")
		})
	}
}
