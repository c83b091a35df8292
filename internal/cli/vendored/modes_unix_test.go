//go:build unix

package vendored

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/matryer/is"
)

func TestModesThatAreNotSafeAreNamed(t *testing.T) {
	for _, c := range []struct {
		name string
		mode fs.FileMode
		want []Difference
	}{
		{"bin/mcp-bash", 0o644, []Difference{{"bin/mcp-bash", "is not executable"}}},
		{"bin/mcp-bash", 0o757, []Difference{{"bin/mcp-bash", "can be written by everybody"}}},
		{"bin/mcp-bash", 0o755 | fs.ModeSetuid, []Difference{{"bin/mcp-bash", "runs with the rights of its owner"}}},
		{"bin", 0o777, []Difference{{"bin", "can be written by everybody"}}},
		{"VERSION", 0o664, nil}, // as git makes it
	} {
		is := is.New(t)
		dir, _ := copied(t)
		is.NoErr(os.Chmod(filepath.Join(dir, c.name), c.mode))
		_, got, err := Verify(dir)
		is.NoErr(err)
		is.Equal(cmp.Diff(c.want, got), "")
	}
}
