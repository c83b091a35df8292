package statedir

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/matryer/is"
)

// dead makes the folder of a server that is gone, as a kill leaves it.
func dead(t *testing.T, parent string) string {
	t.Helper()
	d, err := Make(parent)
	if err != nil {
		t.Fatal(err)
	}
	d.Claim()
	if err := os.MkdirAll(filepath.Join(d.Path, "call.1", "deep"), 0o700); err != nil {
		t.Fatal(err)
	}
	d.lock.Close() // as the end of the process does
	return d.Path
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func TestTheFolderOfAServerThatIsGoneIsRemoved(t *testing.T) {
	is := is.New(t)
	parent := t.TempDir()
	path := dead(t, parent)
	Sweep(t.Context(), parent)
	is.True(!exists(path))
}

func TestTheFolderOfAServerThatLivesStays(t *testing.T) {
	is := is.New(t)
	parent := t.TempDir()
	d, err := Make(parent)
	is.NoErr(err)
	d.Claim()
	Sweep(t.Context(), parent)
	is.True(exists(filepath.Join(d.Path, lockName)))
	is.NoErr(d.Remove())
	is.True(!exists(d.Path))
}

func TestAFolderThatIsToBeKeptStays(t *testing.T) {
	is := is.New(t)
	parent := t.TempDir()
	d, err := Make(parent) // and not claimed
	is.NoErr(err)
	Sweep(t.Context(), parent)
	is.True(exists(d.Path))
}

func TestAnEmptyFolderThatNoServerClaimedIsRemovedAfterAnHour(t *testing.T) {
	is := is.New(t)
	parent := t.TempDir()
	unclaimed := func(changed time.Time, entries ...string) string {
		d, err := Make(parent)
		is.NoErr(err)
		for _, name := range entries {
			is.NoErr(os.WriteFile(filepath.Join(d.Path, name), nil, 0o600))
		}
		is.NoErr(os.Chtimes(d.Path, changed, changed))
		return d.Path
	}
	old, now := time.Now().Add(-2*time.Hour), time.Now()
	empty, claiming := unclaimed(old), unclaimed(old, lockName+".123")
	fresh, kept := unclaimed(now), unclaimed(old, "payload.debug.log")
	Sweep(t.Context(), parent)
	is.True(!exists(empty))
	is.True(!exists(claiming))
	is.True(exists(fresh))
	is.True(exists(filepath.Join(kept, "payload.debug.log")))
}

func TestWhatOnlyLooksLikeOneStays(t *testing.T) {
	is := is.New(t)
	parent, elsewhere := t.TempDir(), t.TempDir()
	real := dead(t, elsewhere)
	link := filepath.Join(parent, prefix+"link")
	err := os.Symlink(real, link)
	if _, missing := os.Lstat(link); err != nil || missing != nil { // Wine reports success, and makes none
		t.Skip("the system does not allow this user to make links: ", errors.Join(err, missing))
	}
	bare := filepath.Join(parent, prefix+"bare")
	is.NoErr(os.Mkdir(bare, 0o700))
	linked := filepath.Join(parent, prefix+"linked") // its lock is a link to a file of somebody
	is.NoErr(os.Mkdir(linked, 0o700))
	file := filepath.Join(elsewhere, "file")
	is.NoErr(os.WriteFile(file, nil, 0o600))
	is.NoErr(os.Symlink(file, filepath.Join(linked, lockName)))
	Sweep(t.Context(), parent)
	for _, path := range []string{real, link, bare, linked, file} {
		is.True(exists(path)) // not ours to remove
	}
}

func TestALinkInTheFolderIsRemovedNotFollowed(t *testing.T) {
	is := is.New(t)
	parent, elsewhere := t.TempDir(), t.TempDir()
	path := dead(t, parent)
	file := filepath.Join(elsewhere, "file")
	is.NoErr(os.WriteFile(file, nil, 0o600))
	if err := os.Symlink(elsewhere, filepath.Join(path, "out")); err != nil {
		t.Skip("the system does not allow this user to make links: ", err)
	}
	Sweep(t.Context(), parent)
	is.True(!exists(path))
	is.True(exists(file))
}
