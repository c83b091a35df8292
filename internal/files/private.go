package files

import (
	"errors"
	"fmt"
	"runtime"
)

// ErrPublic says that others than its owner may read or write a file.
var ErrPublic = errors.New("can be read or written by others")

// ReadPrivate is [Read] of a file that is a secret: one that others than its owner may read or
// write is an error that is [ErrPublic] and says what to do. Windows has no mode bits that tell.
func ReadPrivate(path string, limit int64) ([]byte, error) {
	f, info, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("%s %w; run chmod 600 %s", path, ErrPublic, path)
	}
	return ReadAll(f, limit)
}
