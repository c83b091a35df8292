package statedir

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/matryer/is"
)

func TestAFolderThatIsOnlyPartlyRemovedIsRemovedByAnother(t *testing.T) {
	is := is.New(t)
	parent := t.TempDir()
	d, err := Make(parent)
	is.NoErr(err)
	d.Claim()
	used, err := os.Create(filepath.Join(d.Path, "used")) // an open file cannot be removed
	is.NoErr(err)
	is.True(d.Remove() != nil)
	is.True(exists(filepath.Join(d.Path, lockName)))
	is.NoErr(used.Close())
	Sweep(t.Context(), parent)
	is.True(!exists(d.Path))
}
