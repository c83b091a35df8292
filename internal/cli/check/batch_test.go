package check

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/matryer/is"
)

func TestBatchFilesAreNotReadAsShellScripts(t *testing.T) {
	is := is.New(t)
	root := t.TempDir()
	texts := map[string]string{
		"tools/b/tool.bat":  "@echo off\r\nif \"%1\"==\"\" goto (\r\necho it's\r\n",
		"tools/c/tool.CMD":  "@echo 'one\r\n",
		"tools/c/helper.py": "print('''it''s''')\r\n",
	}
	for name, text := range texts {
		path := filepath.Join(root, filepath.FromSlash(name))
		is.NoErr(os.MkdirAll(filepath.Dir(path), 0o755))
		is.NoErr(os.WriteFile(path, []byte(text), 0o755))
	}
	report, err := Project(t.Context(), root, Options{Fix: true})
	is.NoErr(err)
	for _, m := range report.Messages {
		batch := strings.HasSuffix(strings.ToLower(m.File), ".bat") || strings.HasSuffix(strings.ToLower(m.File), ".cmd")
		if batch && runtime.GOOS != "windows" && strings.Contains(m.Message, "a batch file, which only Windows starts") {
			continue
		}
		if m.Rule == "syntax" || m.Rule == "crlf" || m.Rule == "fixed" || m.Rule == "shebang" && batch || batch && m.Level == Error {
			t.Errorf("%s: %s (%s)", m.File, m.Message, m.Rule)
		}
	}
	for name, text := range texts {
		got, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		is.NoErr(err)
		is.Equal(string(got), text) // line ends are left alone
	}
}
