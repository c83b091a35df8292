package check

import (
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/mcp-bash/mcp-bash/v2/internal/process"
)

// folderOf writes the files of an archive, each after a line "-- name --", into a new folder.
// Scripts, which begin with #!, may be executed; another mode precedes the name, as in
// "-- 644 tools/a.sh --".
func folderOf(t testing.TB, archive string) (root string) {
	t.Helper()
	root = t.TempDir()
	chmod(t, root, "", 0o755)
	for part := range strings.SplitSeq("\n"+archive, "\n-- ") {
		head, text, ok := strings.Cut(part, " --\n")
		if !ok {
			continue
		}
		mode, name, ok := strings.Cut(head, " ")
		if !ok {
			name, mode = head, "644"
			if strings.HasPrefix(text, "#!") {
				mode = "755"
			}
		}
		bits, err := strconv.ParseUint(mode, 8, 32)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		path := filepath.Join(root, filepath.FromSlash(name))
		for _, err := range []error{os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(unescape(text)), 0o644)} {
			if err != nil {
				t.Fatal(err)
			}
		}
		chmod(t, root, name, fs.FileMode(bits))
	}
	return root
}

// unescape makes bytes of what an archive cannot hold.
func unescape(text string) string {
	return strings.NewReplacer("<CR>", "\r", "<BOM>", "\xef\xbb\xbf").Replace(text)
}

func chmod(t testing.TB, root, name string, mode fs.FileMode) {
	t.Helper()
	if err := os.Chmod(filepath.Join(root, filepath.FromSlash(name)), mode); err != nil {
		t.Fatal(err)
	}
}

// options are those of a server in a usual environment.
func options() Options {
	return Options{Env: []string{"PATH=/usr/local/bin:/usr/bin:/bin"}, Runner: &process.Runner{}}
}

// found is what a check of an archive finds.
func found(t testing.TB, archive string) Report {
	t.Helper()
	return checked(t, folderOf(t, archive), options())
}

func checked(t testing.TB, root string, o Options) Report {
	t.Helper()
	r, err := Project(t.Context(), root, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// rules are the levels, rules and places of messages, one a line, without advice for models.
func rules(r Report) string {
	var lines []string
	for _, m := range r.Messages {
		switch m.Rule {
		case "no-description", "no-schema", "server-metadata":
			continue
		}
		line := string(m.Level) + " " + m.Rule + " " + m.File
		if m.Line > 0 {
			line += ":" + strconv.Itoa(m.Line)
		}
		if m.Column > 0 {
			line += ":" + strconv.Itoa(m.Column)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}
