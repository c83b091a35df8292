package check

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/matryer/is"
)

func TestWithoutBashAScriptIsAnErrorThatSaysWhereToGetOne(t *testing.T) {
	is := is.New(t)
	root := t.TempDir()
	is.NoErr(os.MkdirAll(filepath.Join(root, "tools", "a"), 0o755))
	is.NoErr(os.WriteFile(filepath.Join(root, "tools", "a", "tool.sh"), []byte("#!/usr/bin/env bash\necho\n"), 0o755))
	report, err := Project(t.Context(), root, Options{Env: []string{"PATH=" + t.TempDir()}})
	is.NoErr(err)
	is.Equal(report.Errors, 1)
	for _, m := range report.Messages {
		if m.Level == Error {
			is.Equal(m.Message, "the interpreter bash in its #! line is not on PATH")
			is.Equal(m.Hint, "install Git for Windows (https://gitforwindows.org), which brings bash, or run mcp-bash in WSL")
			is.Equal(m.Rule, "interpreter")
		}
	}
}
