package auth

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/auth"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
	"github.com/mcp-bash/mcp-bash/v2/internal/limit"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

// MinToken is the minimum length of a token, in characters.
const MinToken = 32

// maxTokenFile is the maximum length of a file of tokens, in bytes.
const maxTokenFile = 1 << 20

// Tokens are the bearer tokens in a file: one alone, which all clients share, or lines with a name in front of each,
// which tells callers apart.
//
//	# name  token, or its hash     what it may do
//	ada     sha256:5e88…           scopes=read,write requests=600
//	ci      0f3a…                  scopes=read
//
// The file is read again when it changes. While it has a fault nobody is let in: a token that was removed must not
// remain valid because of a typing error in another line.
type Tokens struct {
	file string
	log  *slog.Logger

	mu    sync.Mutex // guards what follows
	once  bool       // it is a pipe
	stamp files.Stamp
	text  string
	known map[[sha256.Size]byte]*holder // by the hash of the token, so that the time of a comparison tells nothing of it
	fault error                         // of the text; nobody is let in
}

// A holder is who has a token.
type holder struct {
	name     string // empty: all who share the token
	scopes   []string
	requests int           // that may come in any minute; 0: any number
	minute   *limit.Minute // counts them; nil for any number
}

// OpenTokens reads a file of tokens.
func OpenTokens(file string, log *slog.Logger) (*Tokens, error) {
	t := &Tokens{file: file, log: log}
	t.read()
	return t, t.fault
}

// read reads the file, if it may have changed, and reports whether it has. t.mu is held.
func (t *Tokens) read() bool {
	stamp, _ := files.StampOf(t.file)
	if t.once || stamp.Same(t.stamp) {
		return false
	}
	t.stamp = stamp
	data, err := files.Read(t.file, maxTokenFile)
	if errors.Is(err, files.ErrNotRegular) && t.known == nil {
		t.once = true
		data, err = os.ReadFile(t.file)
	}
	if err == nil && t.fault == nil && t.known != nil && string(data) == t.text {
		return false
	}
	known, before := map[[sha256.Size]byte]*holder(nil), t.fault
	if err == nil {
		known, err = parseTokens(string(data), t.known)
	}
	if t.text, t.fault = string(data), err; err == nil {
		t.known = known
	}
	return err == nil || before == nil || before.Error() != err.Error()
}

// errTokens is what a client sees of a fault in the file.
var errTokens = errors.New("the server cannot read its tokens; its log has the reason")

// find returns the holder of a token, nil if the file does not have it.
func (t *Tokens) find(token string) (*holder, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.read() {
		if t.fault == nil {
			t.log.Info("the tokens were read again", "file", t.file, "tokens", len(t.known))
		} else {
			t.log.Error("the tokens cannot be read: nobody is let in until they can", "file", t.file, "error", t.fault)
		}
	}
	if t.fault != nil {
		return nil, errTokens
	}
	return t.known[sha256.Sum256([]byte(token))], nil
}

// parseTokens reads the text of a file. What the holders before have used of their limits remains used.
func parseTokens(text string, before map[[sha256.Size]byte]*holder) (map[[sha256.Size]byte]*holder, error) {
	known, names := map[[sha256.Size]byte]*holder{}, map[string]bool{}
	if words := strings.Fields(text); len(words) == 1 {
		hash, err := hashOf(words[0])
		known[hash] = &holder{}
		return known, err
	}
	number := 0
	for line := range strings.Lines(text) {
		number++
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		hash, one, err := parseHolder(words)
		switch {
		case err != nil:
		case names[one.name]:
			err = fmt.Errorf("duplicate name %q", one.name)
		case known[hash] != nil:
			err = fmt.Errorf("%q has the token of %q", one.name, known[hash].name)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		if old := before[hash]; old != nil && old.requests == one.requests {
			one.minute = old.minute
		}
		known[hash], names[one.name] = one, true
	}
	if len(known) == 0 {
		return nil, errors.New("no token; `openssl rand -hex 32` makes one")
	}
	return known, nil
}

// parseHolder reads a line with a name.
func parseHolder(words []string) (hash [sha256.Size]byte, h *holder, err error) {
	if len(words) == 1 {
		return hash, nil, errors.New("expected a name and a token, or sha256: and its hash")
	}
	if hash, err = hashOf(words[1]); err != nil {
		return hash, nil, err
	}
	h = &holder{name: words[0]}
	for _, setting := range words[2:] {
		switch name, value, _ := strings.Cut(setting, "="); {
		case strings.HasPrefix(setting, "#"):
			return hash, nil, errors.New("a comment must be a line of its own")
		case name == "scopes" && value != "":
			h.scopes = strings.Split(value, ",")
		case name == "requests":
			if h.requests, err = strconv.Atoi(value); err != nil || h.requests < 1 {
				return hash, nil, fmt.Errorf("requests=%s: must be 1 or more, the requests in a minute", value)
			}
			h.minute = limit.PerMinute(h.requests)
		default:
			// It is not shown: it may be a token.
			return hash, nil, errors.New("unknown setting; after the token may follow scopes=A,B and requests=N")
		}
	}
	return hash, h, nil
}

// hashOf returns the hash of a token that is written as it is, or as sha256: and its hash.
func hashOf(text string) (hash [sha256.Size]byte, err error) {
	if digits, hashed := strings.CutPrefix(text, "sha256:"); hashed {
		sum, err := hex.DecodeString(digits)
		if err != nil || len(sum) != sha256.Size {
			return hash, errors.New("after sha256: must follow 64 hexadecimal digits; " +
				"`printf %s \"$TOKEN\" | sha256sum` prints them")
		}
		return [sha256.Size]byte(sum), nil
	}
	if n := utf8.RuneCountInString(text); n < MinToken {
		return hash, fmt.Errorf("the token has %d characters, and must have at least %d; `openssl rand -hex 32` makes one",
			n, MinToken)
	}
	return sha256.Sum256([]byte(text)), nil
}

// Require accepts requests with a token of the file, as many as its holder may send.
func (t *Tokens) Require(next http.Handler) http.Handler {
	require := auth.RequireBearerToken(remembered(t.verify), &auth.RequireBearerTokenOptions{AllowMissingExpiration: true})
	return challenging(require, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		minute, _ := auth.TokenInfoFromContext(r.Context()).Extra[allowance].(*limit.Minute)
		if minute != nil && !minute.Allow() {
			w.Header().Set("Retry-After", "5")
			http.Error(w, "too many requests of this token in a minute; try again later", http.StatusTooManyRequests)
			return
		}
		next.ServeHTTP(w, r)
	}))
}

// allowance is the key of the [limit.Minute] in the extras of a token.
const allowance = "allowance"

func (t *Tokens) verify(_ context.Context, token string, _ *http.Request) (*auth.TokenInfo, error) {
	one, err := t.find(token)
	switch {
	case err != nil:
		return nil, err
	case one == nil:
		return nil, auth.ErrInvalidToken
	case one.name == "":
		return &auth.TokenInfo{}, nil
	}
	user := "token " + one.name
	return &auth.TokenInfo{
		UserID: user,
		Scopes: one.scopes,
		Extra: map[string]any{
			identity:  mcp.Caller{ID: user, Subject: one.name, Scopes: one.scopes},
			allowance: one.minute,
		},
	}, nil
}
