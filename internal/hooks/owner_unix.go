//go:build unix

package hooks

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// maxLinks is how many symbolic links there may be on the way to a file, as in the kernel.
const maxLinks = 40

// files are the files that bash inherits, from descriptor 3 on.
func (s *Script) files() []*os.File { return []*os.File{s.file} }

// checkFolders returns an error if another user could replace the folder dir, or a file in it: it
// checks the whole path from the root of the file system, along each link.
func checkFolders(dir string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	const top = string(filepath.Separator)
	here, links := top, 0
	info, err := os.Stat(top)
	if err == nil {
		err = checkOwner(top, info, true)
	}
	if err != nil {
		return err
	}
	for todo := split(dir); len(todo) > 0; {
		name := todo[0]
		todo = todo[1:]
		if name == ".." {
			here = filepath.Dir(here)
			continue
		}
		next := filepath.Join(here, name)
		info, err := os.Lstat(next)
		if err != nil {
			return err
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			if err := checkOwner(next, info, true); err != nil {
				return err
			}
			here = next
			continue
		}
		target, err := os.Readlink(next)
		if links++; err == nil && links > maxLinks {
			err = &fs.PathError{Op: "readlink", Path: next, Err: syscall.ELOOP}
		}
		if err != nil {
			return err
		}
		if owner(info) != os.Geteuid() && owner(info) != 0 {
			return fmt.Errorf("%s is a symbolic link of another user; put the folder itself there", next)
		}
		if filepath.IsAbs(target) {
			here = top
		}
		todo = append(split(target), todo...)
	}
	return nil
}

// split splits a path, without empty names and dots.
func split(path string) []string {
	var names []string
	for name := range strings.SplitSeq(path, string(filepath.Separator)) {
		if name != "" && name != "." {
			names = append(names, name)
		}
	}
	return names
}

// checkOwner returns an error if users other than the user of the server, or root, could write the
// file of info. In a folder with the sticky bit nobody can replace the files of others.
func checkOwner(path string, info fs.FileInfo, isFolder bool) error {
	own, mode := owner(info), info.Mode()
	switch {
	case own != os.Geteuid() && own != 0:
		return fmt.Errorf("%s belongs to another user; run chown on it", path)
	case mode.Perm()&0o022 != 0 && !(isFolder && mode&fs.ModeSticky != 0):
		return fmt.Errorf("%s can be written by others; run chmod go-w %s", path, path)
	}
	return nil
}

// owner returns the user id of the owner of a file; an invalid id if the system does not report it.
func owner(info fs.FileInfo) int {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(s.Uid)
	}
	return -1
}
