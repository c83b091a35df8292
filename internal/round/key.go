package round

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
)

// LoadKey reads the key of a [Box] from a file, and makes the file where there
// is none, so that what one server has sealed the next one can open (MR-08).
func LoadKey(path string) ([]byte, error) {
	key, err := readKey(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	made, err := os.CreateTemp(filepath.Dir(path), ".key-") // for its owner only
	if err != nil {
		return nil, err
	}
	defer os.Remove(made.Name())
	_, err = made.Write(NewKey())
	if err := errors.Join(err, made.Close()); err != nil {
		return nil, err
	}
	if err := os.Link(made.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) { // whole, or not at all
		if err := os.Rename(made.Name(), path); err != nil { // a file system without links
			return nil, err
		}
	}
	return readKey(path) // perhaps that of a server that was quicker
}

// NewKey returns a new key.
func NewKey() []byte {
	key := make([]byte, KeySize)
	rand.Read(key)
	return key
}

func readKey(path string) ([]byte, error) {
	key, err := files.Read(path, 1<<10)
	switch {
	case err != nil:
		return nil, err
	case isPublic(path):
		return nil, fmt.Errorf("%s can be read by others, who could make states that this server believes; run chmod 600 %s", path, path)
	case len(key) != KeySize:
		return nil, fmt.Errorf("%s has %d bytes, not %d; delete it and a new one is made", path, len(key), KeySize)
	}
	return key, nil
}

// isPublic reports whether others than its owner may read or write a file. Windows has no
// mode bits that tell.
func isPublic(path string) bool {
	info, err := os.Stat(path)
	return err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0
}
