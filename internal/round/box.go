package round

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

// KeySize is how many bytes the key of a [Box] has.
const KeySize = 32

// ErrForged is the error for a text that was not sealed with this key, or was changed since.
var ErrForged = errors.New("changed, or not from this server")

// A Box seals state that a client keeps for us, so that it can neither be read nor changed on the
// way (MR-05, SE-04). It may be used by several goroutines.
type Box struct{ aead cipher.AEAD }

// NewBox returns a box with a key of [KeySize] bytes.
func NewBox(key []byte) (*Box, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	return &Box{aead}, err
}

// Seal encodes v as JSON and returns it as a sealed text for clients.
func (b *Box) Seal(v any) (string, error) {
	plain, err := json.Marshal(v, json.Verbatim)
	if err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(b.aead.Seal(nil, nil, plain, nil)), nil
}

// Open decodes a text of Seal into v. The error is [ErrForged].
func (b *Box) Open(text string, v any) error {
	sealed, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return ErrForged
	}
	plain, err := b.aead.Open(nil, nil, sealed, nil)
	if err != nil || json.Unmarshal(plain, v, json.Verbatim) != nil {
		return ErrForged
	}
	return nil
}

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
