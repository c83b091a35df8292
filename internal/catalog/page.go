package catalog

import (
	"cmp"
	"encoding/base64"
	"errors"
	"strings"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

// The default and the maximal number of items on a page.
const (
	DefaultPageSize = 100
	MaxPageSize     = 500
)

// ErrInvalidCursor is the error for a cursor that does not belong to this list, or no
// longer (PG-02).
var ErrInvalidCursor = errors.New("invalid cursor")

// Cursors creates and reads the cursors of one list.
type Cursors struct {
	Collection string // tells its cursors from those of other lists
	Hash       string // of the content; cursors end with it
}

// A Listing is a list that clients read in pages.
type Listing[T any] struct {
	Cursors
	Items []T
}

// A cursor is the start of a page. Clients see base64url of its JSON, which is opaque to them. It
// needs no state of the server, so it works in the next process too (PG-05).
type cursor struct {
	Version    int       `json:"ver"`
	Collection string    `json:"collection"`
	Offset     int       `json:"offset"`
	Hash       string    `json:"hash"`
	Timestamp  time.Time `json:"timestamp"` // when it was created, for debugging
}

const (
	cursorVersion = 1
	cursorBytes   = 1 << 10 // longer ones are invalid
)

// PageSize returns the number of items on a page for a requested limit: DefaultPageSize for a limit
// below 1, at most MaxPageSize.
func PageSize(limit int) int { return min(cmp.Or(max(limit, 0), DefaultPageSize), MaxPageSize) }

// Offset is where the page at a cursor begins. The error is ErrInvalidCursor.
func (l Listing[T]) Offset(at string) (int, error) {
	if at == "" {
		return 0, nil
	}
	offset, err := l.Cursors.Offset(at)
	if err == nil && offset >= len(l.Items) {
		err = ErrInvalidCursor
	}
	return offset, err
}

// Cut returns the page of at most limit items that begins at an offset, as Offset returns it.
func (l Listing[T]) Cut(offset, limit int) (page []T, next string) {
	end := min(offset+limit, len(l.Items))
	if end < len(l.Items) {
		next = l.At(end)
	}
	return l.Items[offset:end:end], next
}

// At returns the cursor of the page that begins at an offset.
func (c Cursors) At(offset int) string {
	text, err := json.Marshal(cursor{cursorVersion, c.Collection, offset, c.Hash, time.Now().UTC()})
	if err != nil {
		panic(err) // cannot happen: collections and hashes are valid UTF-8
	}
	return base64.RawURLEncoding.EncodeToString(text)
}

// Offset is where the page at a cursor begins, or ErrInvalidCursor.
func (c Cursors) Offset(at string) (int, error) {
	if len(at) > cursorBytes || strings.ContainsAny(at, "\r\n") { // which the decoder would skip
		return 0, ErrInvalidCursor
	}
	text, err := base64.RawURLEncoding.Strict().DecodeString(at)
	if err != nil {
		return 0, ErrInvalidCursor
	}
	var given cursor
	if err := json.Unmarshal(text, &given, json.RejectUnknownMembers(true)); err != nil ||
		given.Version != cursorVersion || given.Collection != c.Collection || given.Hash != c.Hash || given.Offset < 0 {
		return 0, ErrInvalidCursor
	}
	return given.Offset, nil
}
