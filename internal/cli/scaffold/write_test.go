package scaffold_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/scaffold"
)

func TestNothingIsWrittenThroughALinkOutOfTheProject(t *testing.T) {
	is := is.New(t)
	root, other := t.TempDir(), t.TempDir()
	if err := os.Symlink(other, filepath.Join(root, "server.d")); err != nil {
		t.Skipf("no links can be made here, so none can lead out of the project: %v", err)
	}
	plan := scaffold.Plan{Files: []scaffold.File{{Path: "server.d/sub/server.meta.json", Text: "{}"}}}
	_, err := plan.Write(t.Context(), root)
	is.True(err != nil && strings.Contains(err.Error(), "is a link to"))
	found, err := os.ReadDir(other)
	is.NoErr(err)
	is.Equal(len(found), 0)
	is.NoErr(os.Remove(filepath.Join(root, "server.d")))
	is.NoErr(os.Mkdir(filepath.Join(root, "real"), 0o755))
	is.NoErr(os.Symlink("real", filepath.Join(root, "server.d")))
	_, err = plan.Write(t.Context(), root)
	is.NoErr(err) // a link within the project
}
