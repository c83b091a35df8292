package files

import (
	"errors"
	"fmt"
)

// ErrPublic says that others than the user of this process may read or write a file.
var ErrPublic = errors.New("can be read or written by others")

// ReadPrivate is [Read] of a file that is a secret: one that others than this user, and root, may
// read or write is an error that is [ErrPublic] and says what to do. Windows has no mode bits that
// tell.
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
	return ReadAll(f, limit)
}
