package providers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
	"github.com/mcp-bash/mcp-bash/v2/internal/mediatype"
)

// DefaultMaxBytes is the maximum size of a resource if no limit is given.
const DefaultMaxBytes = 10 << 20

// File reads file: URIs of regular files in one of its roots, whether they are listed as resources
// or not, and of folders there, for which it returns all their files (R-11; see folder.go).
//
// It does not look at anything outside of the roots, so a client does not even learn what exists
// there. Inside, files are opened through os.Root: neither a symbolic link nor a folder that
// is swapped for a link at the right moment leads out. Links with a relative target inside
// their root are followed. Anything but a regular file, such as a pipe or a device, is refused.
type File struct {
	// Roots are absolute paths of folders; none: nothing can be read. On Windows the form /c/a is
	// accepted too. A root that does not exist counts as empty.
	Roots []string
	// Base is the folder that relative paths begin at, as in file://./a and file:a; empty: relative
	// paths are refused.
	Base string
	// MaxBytes limits a file, and all files of a folder together; 0 means DefaultMaxBytes.
	MaxBytes int64
}

const onWindows = runtime.GOOS == "windows"

// Read returns the file that a URI names, or the files of the folder.
func (f File) Read(_ context.Context, uri string) (contents []Content, err error) {
	limit := cmp.Or(f.MaxBytes, DefaultMaxBytes)
	err = f.find(uri, func(dir *os.Root, inside string, info fs.FileInfo) error {
		if info.IsDir() {
			contents, err = readFolder(dir, inside, uri, limit)
			return err
		}
		b, err := readFile(dir, inside, limit)
		if err == nil {
			contents = []Content{NewContent(uri, mediatype.Of(filepath.ToSlash(inside), b), b)}
		}
		return err
	})
	return contents, err
}

// Check returns why the file or the folder that a URI names could not be read, or nil. It does not
// open anything.
func (f File) Check(uri string) error {
	return f.find(uri, func(*os.Root, string, fs.FileInfo) error { return nil })
}

// find calls do for what a URI names in each root, until it returns no error, and returns the last error.
func (f File) find(uri string, do func(root *os.Root, inside string, info fs.FileInfo) error) error {
	path, err := f.Path(uri)
	if err != nil {
		return err
	}
	err = errOutside
	for _, root := range f.Roots {
		if inside, ok := insideOf(root, path); ok {
			if err = within(root, inside, do); err == nil {
				return nil
			}
		}
	}
	return err
}

func within(root, inside string, do func(*os.Root, string, fs.FileInfo) error) error {
	dir, err := os.OpenRoot(root)
	if err != nil {
		return fileFault(nil, err)
	}
	defer dir.Close()
	info, err := dir.Stat(inside)
	if err != nil {
		return fileFault(dir, err)
	}
	return do(dir, inside, info)
}

var errOutside = fmt.Errorf("%w: it is outside the roots in MCP_RESOURCES_ROOTS", ErrOutside)

// insideOf returns the path relative to a root, if it is inside by its text. The root is compared
// both by its given name and without symbolic links, since clients use both.
func insideOf(root, path string) (string, bool) {
	if onWindows {
		if native, err := windowsPath(root); err == nil {
			root = native
		}
	}
	real, err := filepath.EvalSymlinks(root)
	if err != nil {
		real = root
	}
	for _, r := range []string{root, real} {
		if inside, ok := files.Inside(r, path); ok && filepath.IsAbs(r) {
			return inside, true
		}
	}
	return "", false
}

// Path returns the path of the file or folder that a URI names, whether it can be read or not.
func (f File) Path(uri string) (string, error) { return localPath(uri, f.Base, onWindows) }

// readFile reads a regular file.
func readFile(dir *os.Root, name string, limit int64) ([]byte, error) {
	b, err := files.ReadIn(dir, name, limit)
	switch {
	case errors.Is(err, files.ErrNotRegular):
		return nil, fmt.Errorf("%w: it is a pipe, a device or a socket; only files can be read", ErrOutside)
	case errors.Is(err, files.ErrTooLarge):
		return nil, tooLarge(limit)
	case err != nil:
		return nil, fileFault(dir, err)
	}
	return b, nil
}

func tooLarge(limit int64) error {
	return fmt.Errorf("%w: the limit is %d bytes; raise MCPBASH_MAX_RESOURCE_BYTES", ErrTooLarge, limit)
}

// fileFault returns an error of the file system without the path. dir may be nil.
func fileFault(dir *os.Root, err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		err = path.Err
	}
	switch {
	case files.IsMissing(err), errors.Is(err, syscall.ENAMETOOLONG), errors.Is(err, syscall.EILSEQ):
		return fmt.Errorf("%w: the file does not exist", ErrNotFound)
	case dir != nil && errors.Is(err, escape(dir)):
		return fmt.Errorf("%w: a symbolic link in the path leads out of the root or has an absolute target", ErrOutside)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%w: the server has no permission to read it; change its permissions", ErrOutside)
	}
	return fmt.Errorf("%w: %v", ErrUnavailable, err)
}

// escape is the error of os.Root for a path that leads out, which package os does not export.
func escape(dir *os.Root) error {
	_, err := dir.Lstat("..")
	return errors.Unwrap(err)
}
