package round

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"errors"

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
