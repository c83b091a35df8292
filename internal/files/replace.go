package files

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Replace writes the file at path atomically: readers see either the old one or the new one. A link
// at path is replaced, not followed. Its folder must exist.
func Replace(path string, data []byte, perm fs.FileMode) error {
	return ReplaceWith(path, perm, bytesOf(data))
}

// ReplaceWith is [Replace] with the output of write. If that fails, nothing changes.
func ReplaceWith(path string, perm fs.FileMode, write func(io.Writer) error) error {
	return replace(wholeSystem{}, path, Access{perm: perm}, write, nil)
}

// Edit is [Replace] for a file of somebody, who must be able to use it afterwards: it gets the access
// that it, or another file, has. If check is not nil, it is called as late as possible, and nothing is
// replaced if it returns an error.
func Edit(path string, data []byte, a Access, check func() error) error {
	return replace(wholeSystem{}, path, a, bytesOf(data), check)
}

// Rewrite is [Edit] for a file that may be new, and that the user may have put a link to at path: what the
// link leads to is replaced. perm is the mode of a new file.
func Rewrite(path string, data []byte, perm fs.FileMode) error {
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return Replace(path, data, perm)
	}
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	return Edit(path, data, AccessOf(info), nil)
}

// EditIn is [Edit] for a name in a folder, which links cannot leave.
func EditIn(dir *os.Root, name string, data []byte, a Access) error {
	return replace(dir, name, a, bytesOf(data), nil)
}

func bytesOf(data []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}
}

func replace(in folder, path string, a Access, write func(io.Writer) error, check func() error) error {
	p, err := prepare(in, path, a, write)
	if err != nil {
		return err
	}
	defer p.Drop()
	if check != nil {
		err = check()
	}
	if err == nil {
		err = p.Put()
	}
	return err
}

// A Prepared file is complete on the disk, under a temporary name in the folder of its path.
type Prepared struct {
	in          folder
	fresh, path string
}

// Prepare is the part of [ReplaceWith] that takes time and space, for files that belong together:
// when all are prepared, [Prepared.Put] each, and whatever happens, [Prepared.Drop] all.
func Prepare(path string, perm fs.FileMode, write func(io.Writer) error) (*Prepared, error) {
	return prepare(wholeSystem{}, path, OwnAccess(perm), write)
}

// Temporary returns the temporary name, without the folder.
func (p *Prepared) Temporary() string { return filepath.Base(p.fresh) }

// Put gives the file its name.
func (p *Prepared) Put() error { return rename(p.in, p.fresh, p.path) }

// Drop removes the file unless it was put.
func (p *Prepared) Drop() { p.in.Remove(p.fresh) }

// IsTemporary reports whether name is one that the functions of this file use until a file called
// final is complete. Those of a process that was killed stay.
func IsTemporary(name, final string) bool {
	random, ok := strings.CutPrefix(name, "."+final+".")
	return ok && len(random) == randomLetters && strings.Trim(random, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") == ""
}

// randomLetters is how many random letters make a temporary name unique.
const randomLetters = 10

// prepare writes a new temporary file beside path. After an error there is no file.
func prepare(in folder, path string, a Access, write func(io.Writer) error) (*Prepared, error) {
	fresh := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+"."+rand.Text()[:randomLetters])
	f, err := in.OpenFile(fresh, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	err = write(f)
	if err == nil {
		err = a.grant(f, path)
	}
	if err == nil {
		err = f.Sync() // or it may be empty after a crash of the machine
	}
	if err = errors.Join(err, f.Close()); err != nil {
		in.Remove(fresh)
		return nil, err
	}
	return &Prepared{in, fresh, path}, nil
}

// A folder is where names are resolved: an [os.Root], or the whole file system.
type folder interface {
	OpenFile(name string, flag int, perm fs.FileMode) (*os.File, error)
	Lstat(name string) (fs.FileInfo, error)
	Rename(old, name string) error
	Remove(name string) error
}

type wholeSystem struct{}

func (wholeSystem) OpenFile(name string, flag int, perm fs.FileMode) (*os.File, error) {
	return os.OpenFile(name, flag, perm)
}
func (wholeSystem) Lstat(name string) (fs.FileInfo, error) { return os.Lstat(name) }
func (wholeSystem) Rename(old, name string) error          { return os.Rename(old, name) }
func (wholeSystem) Remove(name string) error               { return os.Remove(name) }

// Access is who may do what with a file: its permissions and, on Unix, its owner and group.
type Access struct {
	perm fs.FileMode
	as   fs.FileInfo // of the file that has the owner and group; nil for those of this process
}

// AccessOf returns the access that a file has.
func AccessOf(info fs.FileInfo) Access { return Access{info.Mode().Perm(), info} }

// OwnAccess returns the access to a file that this process creates.
func OwnAccess(perm fs.FileMode) Access { return Access{perm: perm} }

// grant gives the access to a file that this process has created to replace the one at path. The
// permissions come last: until then nobody but the owner can read it.
func (a Access) grant(f *os.File, path string) error {
	if a.as != nil {
		if err := giveTo(f, a.as); err != nil {
			return fmt.Errorf("cannot write %s for its owner: run this as that user (%w)", path, err)
		}
	}
	return f.Chmod(a.perm)
}
