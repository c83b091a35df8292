package clients

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
)

// A File is one file of a client on disk.
type File struct {
	Client Client
	Path   string
	Perm   fs.FileMode // of a new file; 0 means 0600
}

// File returns the client's file of a scope: that of an installed package, which reads no other, else the
// first that exists or whose folder exists, or else the usual one. Files of a project are in the folder.
func (c Client) File(m Machine, s Scope, folder string) (File, error) {
	paths := c.Paths(m, s, folder)
	switch {
	case len(paths) == 0 && s == User && c.user != nil:
		return File{}, errors.New("your home folder is not known: set HOME, or name the file with --file")
	case len(paths) == 0:
		return File{}, fmt.Errorf("%s has no file for the %s: use another --scope, or name the file with --file", c.Title, s)
	}
	f := File{Client: c, Path: paths[0]}
	if s == Project {
		f.Perm = 0o644
	}
	for _, path := range paths {
		if own, ok := m.installed(path); ok {
			f.Path = own
			return f, nil
		}
	}
	for _, there := range []func(path string) bool{exists, inFolder} {
		if i := slices.IndexFunc(paths, there); i >= 0 {
			f.Path = paths[i]
			break
		}
	}
	return f, nil
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func inFolder(path string) bool {
	info, err := os.Stat(filepath.Dir(path))
	return err == nil && info.IsDir()
}

// Present reports whether the client seems to be installed: its file exists, or the folder of the
// file if that belongs to the client.
func (c Client) Present(m Machine) bool {
	for _, path := range c.Paths(m, User, "") {
		if _, ok := m.installed(path); ok || exists(path) {
			return true
		}
		if inFolder(path) && filepath.Dir(path) != filepath.Clean(m.Home) {
			return true
		}
	}
	return false
}

// Entry returns the current entry with a name.
func (f File) Entry(name string) (Entry, error) {
	text, existed, err := read(f.Path)
	if err != nil {
		return Entry{}, err
	}
	e, found, err := f.Client.Get(text, name)
	switch {
	case err != nil:
		return Entry{}, f.at(err)
	case !existed, !found:
		return Entry{}, fmt.Errorf("%s has no entry %q", f.Path, name)
	}
	return e, nil
}

// at adds the path of the file to an error.
func (f File) at(err error) error {
	if fault, ok := errors.AsType[*SyntaxError](err); ok {
		fault.Path = f.Path
		return fault
	}
	return fmt.Errorf("%s: %w", f.Path, err)
}

// fileBytes is the maximum size of a file of a client. Some clients keep conversations in it.
const fileBytes = 256 << 20

// read returns a file's text, empty if the file does not exist.
func read(path string) (text string, existed bool, err error) {
	b, err := files.Read(path, fileBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return "", false, nil
	}
	return string(b), err == nil, err
}

// target follows links to the file that holds the text, so that a link into a folder of dotfiles
// stays a link. The file need not exist.
func target(path string) (string, error) {
	for range 40 {
		to, err := os.Readlink(path)
		if err != nil {
			return path, nil // not a link, or nothing there
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		path = to
	}
	return "", fmt.Errorf("%s: too many links", path)
}
