package pipeline

import (
	"encoding/json"
	"errors"
)

// ErrCancelled is the cause with which the context of a call ends that the other side has cancelled.
var ErrCancelled = errors.New("cancelled by the client")

// A Dialect is what stages need to know of the protocol on a stream to be independent of it. The zero
// value is plain JSON-RPC, which has none of these messages.
type Dialect struct {
	// Cancel is the notification that cancels a call, and CancelID the member of its params with the
	// id of that call.
	Cancel, CancelID string
	// CancelCode is the code of the error that answers a cancelled call. 0: it is not answered at all.
	CancelCode int64
	// Uncancelled reports whether calls of a method cannot be cancelled. Nil: all can.
	Uncancelled func(method string) bool

	// Progress is the notification about the progress of a call, and Token the member of its params
	// that names the call. Tokens are where the params of a call may have that name: paths of members.
	Progress, Token string
	Tokens          [][]string

	// Log is the notification with a line of a log.
	Log string

	// Subjects are where the params of a call may say what it is about: paths of members.
	Subjects [][]string

	// Failure is the member of a result that is true if the call has failed though it has a result.
	Failure string

	// Alone reports whether calls of a method cannot be part of a batch. Nil: all can.
	Alone func(method string) bool

	// Nulls is set if an empty result is null, and so is the id of an error about a line whose id could not be
	// read. Otherwise they are an empty object, and left out. See [Options].
	Nulls bool

	// Relayed is for a stream to a server behind the pipeline, which needs all of these messages: a
	// stage that acts on one passes it on. Otherwise it ends there.
	Relayed bool
}

// MCP is the dialect of the Model Context Protocol, in all its revisions.
var MCP = Dialect{
	Cancel:      "notifications/cancelled",
	CancelID:    "requestId",
	Uncancelled: func(method string) bool { return method == "initialize" },
	Progress:    "notifications/progress",
	Token:       "progressToken",
	Tokens:      [][]string{{"_meta", "progressToken"}},
	Log:         "notifications/message",
	Subjects:    [][]string{{"name"}, {"uri"}},
	Failure:     "isError",
	Alone:       func(method string) bool { return method == "initialize" },
}

// LSP is the dialect of the Language Server Protocol, version 3.17.
var LSP = Dialect{
	Cancel:     "$/cancelRequest",
	CancelID:   "id",
	CancelCode: -32800, // RequestCancelled
	Progress:   "$/progress",
	Token:      "token",
	Tokens:     [][]string{{"workDoneToken"}, {"partialResultToken"}},
	Log:        "window/logMessage",
	Nulls:      true,
	Subjects:   [][]string{{"textDocument", "uri"}, {"command"}},
}

// Cancelled returns the id of the call that m cancels; it reports false if m cancels none.
func (d *Dialect) Cancelled(m *Message) (ID, bool) {
	if d.Cancel == "" || m.kind != Notification || m.method != d.Cancel {
		return ID{}, false
	}
	return ParseID(Member(m.Params(), d.CancelID))
}

// Cancellation returns the notification that cancels a call; it reports false if the dialect has none.
func (d *Dialect) Cancellation(id ID, reason string) (*Message, bool) {
	if d.Cancel == "" {
		return nil, false
	}
	params := map[string]any{d.CancelID: json.RawMessage(id.raw)}
	if d.CancelCode == 0 {
		params["reason"] = reason
	}
	m, err := NewNotification(d.Cancel, params)
	return m, err == nil
}

// ProgressOf returns the token that a progress notification names; it reports false for other messages.
func (d *Dialect) ProgressOf(m *Message) (token ID, ok bool) {
	if d.Progress == "" || m.kind != Notification || m.method != d.Progress {
		return ID{}, false
	}
	return ParseID(Member(m.Params(), d.Token))
}

// TokensOf returns the tokens by which progress notifications may name a call.
func (d *Dialect) TokensOf(m *Message) (tokens []ID) {
	for _, path := range d.Tokens {
		if token, ok := ParseID(memberAt(m.Params(), path)); ok {
			tokens = append(tokens, token)
		}
	}
	return tokens
}

// SubjectOf returns what a call is about, such as the name of a tool; empty if it does not say so.
func (d *Dialect) SubjectOf(m *Message) (subject string) {
	for _, path := range d.Subjects {
		if json.Unmarshal(memberAt(m.Params(), path), &subject) == nil && subject != "" {
			return subject
		}
	}
	return ""
}

// memberAt returns a member of a member.
func memberAt(value json.RawMessage, path []string) json.RawMessage {
	for _, name := range path {
		value = Member(value, name)
	}
	return value
}
