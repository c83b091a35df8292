package files

import (
	"errors"
	"fmt"
)

// ErrPublic means that users other than that of this process may read or write a file.
var ErrPublic = errors.New("can be read or written by others")

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
