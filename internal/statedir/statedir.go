// Package statedir creates the private folders of servers, and removes those of servers that were
// killed.
//
// A server locks a file in its folder as long as it runs, and the system releases the lock when it
// ends. So a folder whose file is not locked is no longer in use.
package statedir

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
)

const (
	prefix   = "mcpbash.state."
	lockName = "owner"
)

// A Dir is the private folder of a server.
type Dir struct {
	Path string // absolute
	lock *os.File
}

// Make creates a folder in parent, or in the folder for temporary files if parent is empty. Until
// it is claimed, only its own server removes it.
func Make(parent string) (*Dir, error) {
	made, err := os.MkdirTemp(parent, prefix)
	if err != nil {
		return nil, err
	}
	path, err := filepath.Abs(made)
	return &Dir{Path: path}, err
}

// Claim lets later servers remove the folder after this process has ended. On systems without such
// locks, it does nothing.
func (d *Dir) Claim() { d.lock = createLocked(filepath.Join(d.Path, lockName)) }

// Remove removes the folder and its contents, the lock last: of a server that is killed meanwhile, the
// next one removes the rest.
func (d *Dir) Remove() error {
	if d.lock == nil {
		return files.RemoveAll(d.Path)
	}
	defer d.lock.Close()
	entries, _ := os.ReadDir(d.Path) // often there is nothing but the lock
	for _, e := range entries {
		if e.Name() == lockName {
			continue
		}
		if err := files.RemoveAll(filepath.Join(d.Path, e.Name())); err != nil {
			return err
		}
	}
	release(d.lock)
	os.Remove(filepath.Join(d.Path, lockName))
	if os.Remove(d.Path) == nil {
		return nil
	}
	return files.RemoveAll(d.Path) // somebody has put something there, or changed its mode
}

// Sweep removes the folders in parent, as created by Make, of servers of this user that are gone.
// Folders that it cannot remove, or has not removed when ctx ends, are left for the next server.
func Sweep(ctx context.Context, parent string) {
	if parent == "" {
		parent = os.TempDir()
	}
	in, err := os.OpenRoot(parent)
	if err != nil {
		return
	}
	defer in.Close()
	names, _ := namesIn(in)
	for _, name := range names {
		if ctx.Err() == nil && strings.HasPrefix(name, prefix) {
			sweep(in, name)
		}
	}
}

// namesIn returns the names of what is in a folder.
func namesIn(dir *os.Root) ([]string, error) {
	list, err := dir.Open(".")
	if err != nil {
		return nil, err
	}
	defer list.Close()
	return list.Readdirnames(-1)
}

// sweep removes one folder if it is ours and its server is gone. It works on the open folder:
// another file that takes its name meanwhile is safe, and links are not followed.
func sweep(in *os.Root, name string) {
	before, err := in.Lstat(name)
	if err != nil || !before.IsDir() || !ownedByUser(before) {
		return
	}
	dir, err := in.OpenRoot(name)
	if err != nil {
		return
	}
	defer dir.Close()
	if now, err := dir.Stat("."); err != nil || !os.SameFile(before, now) {
		return
	}
	info, err := dir.Lstat(lockName)
	if errors.Is(err, fs.ErrNotExist) {
		sweepUnclaimed(in, name, dir, before.ModTime())
		return
	}
	if err != nil || !info.Mode().IsRegular() || !ownedByUser(info) {
		return
	}
	f, err := dir.OpenFile(lockName, os.O_RDWR, 0)
	if err != nil {
		return
	}
	defer f.Close()
	if lock(f) != nil { // its server is running, or another process is removing it
		return
	}
	entries, err := namesIn(dir)
	if err != nil {
		return
	}
	for _, entry := range entries {
		if entry == lockName {
			continue
		}
		_ = dir.Chmod(entry, 0o700) // its mode may keep the owner from listing it
		if dir.RemoveAll(entry) != nil {
			return
		}
	}
	release(f)
	if dir.Remove(lockName) == nil {
		in.Remove(name)
	}
}

// soonest is how long after its last change an unclaimed folder may be removed.
const soonest = time.Hour

// sweepUnclaimed removes a folder that a server has not claimed, if nothing is in it: most likely the server
// was killed before it could. A server that never claims its folder makes it again when it needs it.
func sweepUnclaimed(in *os.Root, name string, dir *os.Root, changed time.Time) {
	if time.Since(changed) < soonest {
		return
	}
	entries, err := namesIn(dir)
	if err != nil {
		return
	}
	for _, entry := range entries {
		if strings.HasPrefix(entry, lockName+".") { // it was about to get its name
			dir.Remove(entry)
		}
	}
	in.Remove(name) // fails if there is more
}

// Folders returns the folders in parent, as created by Make, of servers of this user, including
// those that are gone.
func Folders(parent string) (paths []string) {
	if parent == "" {
		parent = os.TempDir()
	}
	entries, err := os.ReadDir(parent)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if path := filepath.Join(parent, e.Name()); Is(path) {
			paths = append(paths, path)
		}
	}
	return paths
}

// Is reports whether path is a folder of this user as created by Make.
func Is(path string) bool {
	if !strings.HasPrefix(filepath.Base(path), prefix) {
		return false
	}
	info, err := os.Lstat(path)
	return err == nil && info.IsDir() && ownedByUser(info)
}
