package middleware

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"log/slog"
	"slices"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/internal/limit"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// MinSecret is how many characters a secret must have at least.
const MinSecret = 32

// Secret is the secret that [Token] requires.
type Secret struct {
	Token string // the secret itself; empty: all messages pass
	// Keys are the members of params._meta that may contain it. None: mcpbash/remoteToken and
	// remoteToken.
	Keys []string

	// Failures is how many wrong tries in a minute are logged; further ones are refused as too
	// many. Zero: 10.
	Failures int
}

// Token accepts only calls and notifications with a secret in params._meta: the proxy in front of
// the server adds it to the messages of its own clients. A call without it is refused with -32602,
// a notification dropped. ping needs no secret, so that a supervisor can check that the server is
// alive; responses cannot have one.
//
//	{"id":1,"method":"tools/list","params":{"_meta":{"mcpbash/remoteToken":"…"}}}
//
// The secret goes no further: the stages behind see the message without it. Too many wrong tries
// are refused as such and no longer logged, but the right secret always passes, or strangers could
// lock the others out.
//
// Without it everybody whom the proxy lets pass may call.
func Token(s Secret, log *slog.Logger) pipeline.Middleware {
	log = cmp.Or(log, slog.Default())
	if s.Token == "" {
		return pipeline.Middleware{Name: "token"}
	}
	if len(s.Keys) == 0 {
		s.Keys = []string{"mcpbash/remoteToken", "remoteToken"}
	}
	if s.Failures <= 0 {
		s.Failures = 10
	}
	failures := limit.PerMinute(s.Failures)
	return pipeline.Middleware{
		Name:  "token",
		About: func() string { return fmt.Sprintf("%d wrong ones a minute end the server", s.Failures) },
		Inbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Handler) (*pipeline.Message, error) {
			if m.Kind() != pipeline.Call && m.Kind() != pipeline.Notification {
				return next(ctx, m)
			}
			line, found := withoutMeta(m.Line(), s.Keys)
			if len(found) > 0 {
				m = pipeline.Parse(line)
			}
			switch {
			case slices.ContainsFunc(found, s.matches), m.Kind() == pipeline.Call && m.Method() == "ping":
				return next(ctx, m)
			case !failures.Allow():
				return refuse(m, "Remote token missing or invalid (throttled)")
			}
			log.Warn("refused a message without the remote token", "method", m.Method())
			return refuse(m, "Remote token missing or invalid")
		},
	}
}

// matches reports whether a member is the secret, in constant time.
func (s Secret) matches(member json.Value) bool {
	got, want := sha256.Sum256([]byte(json.Text(member))), sha256.Sum256([]byte(s.Token))
	return subtle.ConstantTimeCompare(got[:], want[:]) == 1
}

func refuse(m *pipeline.Message, why string) (*pipeline.Message, error) {
	if m.Kind() == pipeline.Notification {
		return nil, nil
	}
	return nil, pipeline.Errorf(jsonrpc2.CodeInvalidParams, "%s", why)
}

// withoutMeta returns a message without some members of params._meta, and the values that they had.
// Everything else stays as it was written.
func withoutMeta(line []byte, keys []string) (clean []byte, values []json.Value) {
	clean = json.Edit(line, func(m json.Member) json.Value {
		if m.Name != "params" {
			return m.Value
		}
		return json.Edit(m.Value, func(m json.Member) json.Value {
			if m.Name != "_meta" {
				return m.Value
			}
			return json.Edit(m.Value, func(m json.Member) json.Value {
				if !slices.Contains(keys, m.Name) {
					return m.Value
				}
				values = append(values, m.Value)
				return nil
			})
		})
	})
	return clean, values
}
