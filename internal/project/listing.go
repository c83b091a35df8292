package project

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
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

// list reads the folder, which d is, or uses the listing of prev, if any, when no entry was added or
// removed.
func (s *scan) list(f, prev *folder, d *dir) error {
	if prev != nil && prev.stamp.same(d.stamp) {
		f.stamp, f.listing = prev.stamp, prev.listing
		return nil
	}
	all, err := d.entries()
	if err != nil {
		return err
	}
	l := &listing{entries: all[:0]}
	for _, e := range all {
		switch {
		case strings.HasPrefix(e.name, "."):
		case oddName(e.name):
			l.odd = append(l.odd, e.name)
		case e.kind.IsRegular(), e.kind.IsDir(), e.kind&fs.ModeSymlink != 0:
			l.entries = append(l.entries, e)
		}
	}
	slices.Sort(l.odd)
	slices.SortFunc(l.entries, func(a, b dirEntry) int { return strings.Compare(a.name, b.name) })
	f.stamp, f.listing = d.stamp, s.share(l)
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
