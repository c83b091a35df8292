package round

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
)

// LoadKey reads the key of a [Box] from a file, and creates the file if it does not exist, so that
// a later server can open what an earlier one has sealed (MR-08).
func LoadKey(path string) ([]byte, error) {
	key, err := readKey(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	if err := files.MakeWhole(path, NewKey(), 0o600); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return readKey(path) // perhaps that of a server that was faster
}

// NewKey returns a new key.
func NewKey() []byte {
	key := make([]byte, KeySize)
	rand.Read(key)
	return key
}

func readKey(path string) ([]byte, error) {
	key, err := files.ReadPrivate(path, 1<<10)
	switch {
	case errors.Is(err, files.ErrPublic):
		return nil, fmt.Errorf("%w; whoever has the key can forge request states", err)
	case err != nil:
		return nil, err
	case len(key) != KeySize:
		return nil, fmt.Errorf("%s has %d bytes, not %d; delete it to get a new one", path, len(key), KeySize)
	}
	return key, nil
}
