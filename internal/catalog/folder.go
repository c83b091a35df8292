package catalog

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
)

// What the names in a listing are.
const (
	aFile   = 'f'
	aFolder = 'd'
	aLink   = 'l'
	oddly   = 'o' // named so that no message can contain it
)

var errNotFolder = errors.New("it is not a folder")

// list reads the folder, or uses the listing of prev, if any, when no entry was added or removed.
func (s *scan) list(f, prev *folder) error {
	was, err := files.StampOf(f.dir)
	switch {
	case err != nil:
		return err
	case !was.Mode.IsDir():
		return errNotFolder
	case prev != nil && prev.stamp.Same(was):
		f.stamp, f.listing = prev.stamp, prev.listing
		return nil
	}
	var all []fs.DirEntry // sorted
	err = files.Patient(func() (err error) { all, err = os.ReadDir(f.dir); return err })
	if err != nil {
		return err
	}
	var listing []byte
	for _, e := range all {
		var is byte
		switch name, kind := e.Name(), e.Type(); {
		case strings.HasPrefix(name, "."):
			continue
		case oddName(name):
			is = oddly
		case kind.IsRegular():
			is = aFile
		case kind.IsDir():
			is = aFolder
		case kind&fs.ModeSymlink != 0:
			is = aLink
		default:
			continue
		}
		listing = append(append(append(listing, is), e.Name()...), '/')
	}
	f.stamp, f.listing = was, string(listing)
	return nil
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
