// Package files opens files that other programs may have put there, and replaces files atomically.
// A name that a project, a tool or a client can write may be a pipe, which keeps the reader waiting
// for its other end, a device, which may never end, a file of any length, or a link to all that. So
// a file is opened without waiting, checked by its descriptor rather than by its name, which may be
// another file by then, and read up to a limit.
package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
	"time"
)

// These are the causes of the errors of this package.
var (
	ErrNotRegular = errors.New("is not a regular file")
	ErrTooLarge   = errors.New("is too large")
	ErrLink       = errors.New("is a symbolic link")
	// ErrPublic means that users other than that of this process may read or write a file.
	ErrPublic = errors.New("can be read or written by others")
)

// tooLarge is the error for a file with more bytes than this. It is [ErrTooLarge].
type tooLarge int64

func (t tooLarge) Error() string        { return fmt.Sprintf("has more than %d bytes", int64(t)) }
func (t tooLarge) Is(target error) bool { return target == ErrTooLarge }

// Exists reports whether a path is that of a regular file. Links are followed.
func Exists(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// Dangling reports whether a path is a symbolic link to something that does not exist.
func Dangling(path string) bool {
	info, err := os.Lstat(path)
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return false
	}
	_, err = os.Stat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// Open opens a regular file for reading and returns its info. It never blocks. Links are followed.
// Errors are of the type *fs.PathError.
func Open(path string) (*os.File, fs.FileInfo, error) { return open(path, 0) }

// OpenUnlinked is [Open] for a name that must not be a symbolic link itself. Folders above it may
// be.
func OpenUnlinked(path string) (*os.File, fs.FileInfo, error) {
	if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return nil, nil, &fs.PathError{Op: "open", Path: path, Err: ErrLink}
	}
	return open(path, noFollow)
}

// OpenIn is [Open] for a name in a folder, which links cannot leave.
func OpenIn(dir *os.Root, name string) (*os.File, fs.FileInfo, error) {
	info, err := dir.Stat(name) // opening a device can have effects
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: name, Err: ErrNotRegular}
	}
	if err != nil {
		return nil, nil, err
	}
	f, err := dir.OpenFile(name, os.O_RDONLY|nonBlock, 0)
	return checkOpened(f, name, err)
}

func open(path string, flags int) (*os.File, fs.FileInfo, error) {
	var f *os.File
	err := Patient(func() (err error) {
		f, err = os.OpenFile(path, os.O_RDONLY|nonBlock|flags, 0)
		return err
	})
	return checkOpened(f, path, err)
}

// checkOpened checks the opened file.
func checkOpened(f *os.File, path string, err error) (*os.File, fs.FileInfo, error) {
	if err != nil {
		if errors.Is(err, syscall.ENXIO) { // a socket, which cannot be opened
			err = &fs.PathError{Op: "open", Path: path, Err: ErrNotRegular}
		}
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: path, Err: ErrNotRegular}
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// Read returns the contents of the regular file at path, at most limit bytes. Links are followed.
// Errors are of the type *fs.PathError.
func Read(path string, limit int64) ([]byte, error) {
	f, info, err := Open(path)
	return readOpened(f, info, err, limit)
}

// ReadUnlinked is [Read] for a name that must not be a symbolic link itself.
func ReadUnlinked(path string, limit int64) ([]byte, error) {
	f, info, err := OpenUnlinked(path)
	return readOpened(f, info, err, limit)
}

// ReadIn is [Read] for a name in a folder, which links cannot leave.
func ReadIn(dir *os.Root, name string, limit int64) ([]byte, error) {
	f, info, err := OpenIn(dir, name)
	return readOpened(f, info, err, limit)
}

func readOpened(f *os.File, info fs.FileInfo, err error, limit int64) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAll(f, info, limit)
}

// ReadAll reads an open file to its end, at most limit bytes. A file that is already larger is not
// read at all.
func ReadAll(f *os.File, limit int64) ([]byte, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return readAll(f, info, limit)
}

// readAll is ReadAll for a file that was checked already. The result has no spare capacity.
func readAll(f *os.File, info fs.FileInfo, limit int64) ([]byte, error) {
	fault := &fs.PathError{Op: "read", Path: f.Name(), Err: tooLarge(limit)}
	if info.Size() > limit {
		return nil, fault
	}
	data := make([]byte, info.Size()+1) // a read that leaves room has reached the end
	n, err := f.Read(data)
	if err == io.EOF {
		err = nil
	}
	if data = data[:n]; err == nil && n > 0 && int64(n) != info.Size() { // it grows, or its size is unknown, as in /proc
		var rest []byte
		rest, err = io.ReadAll(io.LimitReader(f, limit-int64(n)+1)) // the limit may be the largest number
		data = append(data, rest...)
	}
	switch {
	case err != nil:
		return nil, err
	case int64(len(data)) > limit:
		return nil, fault
	}
	return data, nil
}

// Head returns the first bytes of the regular file at path, at most limit.
func Head(path string, limit int64) ([]byte, error) {
	f, _, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, limit))
}

// ReadPrivate is [Read] for a secret file: if users other than this one, and root, may read or
// write it, the error is [ErrPublic] and says what to do. Windows has no mode bits to check.
func ReadPrivate(path string, limit int64) ([]byte, error) {
	f, info, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	switch own, others := sharing(info); {
	case others:
		return nil, fmt.Errorf("%s %w; run chmod 600 %s", path, ErrPublic, path)
	case !own:
		return nil, fmt.Errorf("%s %w: it belongs to another user; run chown on it", path, ErrPublic)
	}
	return readAll(f, info, limit)
}

// Patient retries open for up to a second while it fails for lack of file descriptors, or on
// Windows because another program is using the file: descriptors become free as calls end, editors
// and virus scanners close their files, and a project must not seem to have lost its files
// meanwhile.
func Patient(open func() error) (err error) {
	for pause := time.Millisecond; pause < time.Second/2; pause *= 2 {
		if err = open(); !errors.Is(err, syscall.EMFILE) && !errors.Is(err, syscall.ENFILE) && !inUse(err) {
			return err
		}
		time.Sleep(pause)
	}
	return err
}

// Until returns a reader of r that fails with the error of ctx when that has ended, for long copies.
func Until(ctx context.Context, r io.Reader) io.Reader { return until{ctx, r} }

type until struct {
	ctx context.Context
	io.Reader
}

func (u until) Read(b []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.Reader.Read(b)
}
