package project

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
)

// A listing is the contents of a folder: files, folders and links, sorted by name. Hidden names,
// names that no message can contain, and pipes, sockets and devices are left out.
type listing struct {
	entries []dirEntry
	odd     []string // names left out because of their characters
}

// nothing is the listing of a folder that cannot be read.
var nothing = &listing{}

// A dirEntry is a name in a folder, and whether it is a file, a folder or a link.
type dirEntry struct {
	name string
	kind fs.FileMode
}

var errNotFolder = errors.New("it is not a folder")

// list reads the folder, or uses the listing of prev, if any, when no entry was added or removed.
func (s *scan) list(f, prev *folder) error {
	was, err := stampAt(f.dir)
	switch {
	case err != nil:
		return err
	case !was.mode.IsDir():
		return errNotFolder
	case prev != nil && prev.stamp.same(was):
		f.stamp, f.listing = prev.stamp, prev.listing
		return nil
	}
	var all []fs.DirEntry // sorted
	err = files.Patient(func() (err error) { all, err = os.ReadDir(f.dir); return err })
	if err != nil {
		return err
	}
	l := &listing{entries: make([]dirEntry, 0, len(all))}
	for _, e := range all {
		switch name, kind := e.Name(), e.Type(); {
		case strings.HasPrefix(name, "."):
		case oddName(name):
			l.odd = append(l.odd, name)
		case kind.IsRegular(), kind.IsDir(), kind&fs.ModeSymlink != 0:
			l.entries = append(l.entries, dirEntry{name, kind})
		}
	}
	f.stamp, f.listing = was, s.share(l)
	return nil
}

// share returns the listing with these contents that the scan has found before, or else l: the
// folders of tools mostly hold files of the same names.
func (s *scan) share(l *listing) *listing {
	if len(l.odd) > 0 {
		return l
	}
	var key []byte
	for _, e := range l.entries {
		key = append(append(key, e.name...), '/')
		key = append(strconv.AppendUint(key, uint64(e.kind), 8), '/')
	}
	known, _ := s.listings.LoadOrStore(string(key), l)
	return known.(*listing)
}

// followLink returns the target of a link, or the fault why it is not followed. It must be below root,
// and not a folder that contains the link: only files in the project are served, and every walk must
// end.
func followLink(link, root string) (fs.FileInfo, *Fault) {
	refuse := func(err error, hint string) (fs.FileInfo, *Fault) {
		why := strings.TrimPrefix(cause(err).Error(), "EvalSymlinks: ")
		return nil, &Fault{Reason: "the link cannot be followed: " + why, Hint: hint}
	}
	home, err := filepath.EvalSymlinks(root)
	if err != nil {
		return refuse(err, "")
	}
	target, err := filepath.EvalSymlinks(link)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &Fault{Reason: "the target of the link does not exist", Hint: "remove it, or fix it"}
	case err != nil:
		return refuse(err, "remove it, or fix it")
	case !within(home, target):
		return nil, &Fault{Reason: "the link leads out of " + filepath.Base(root) + "/, so it is not followed",
			Hint: "put a copy or a small script in its place", Warning: true}
	}
	here, err := filepath.EvalSymlinks(filepath.Dir(link))
	if err != nil {
		return refuse(err, "")
	}
	info, err := os.Stat(target)
	switch {
	case err != nil:
		return refuse(err, "")
	case info.IsDir() && within(target, here):
		return nil, &Fault{Reason: "the link leads to a folder that contains it, so it is not followed", Hint: "remove it"}
	}
	return info, nil
}
