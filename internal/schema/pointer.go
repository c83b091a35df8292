package schema

import (
	"slices"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

// pointer joins tokens, names and indexes, to a JSON pointer (RFC 6901); "" is the root.
func pointer(tokens ...string) string {
	var p json.Pointer
	for _, token := range tokens {
		p = p.AppendToken(token)
	}
	return string(p)
}

// tokens splits a JSON pointer.
func tokens(pointer string) []string { return slices.Collect(json.Pointer(pointer).Tokens()) }

// An Error is an error at a place in a document.
type Error struct {
	pointer string
	err     error
}

func (p *Error) Error() string {
	text := p.err.Error()
	if p.pointer != "" {
		text = "at " + clipPointer(p.pointer) + ": " + text
	}
	if _, meta := p.err.(invalid); meta {
		text = "not a valid schema: " + text
	}
	return text
}

// Unwrap returns the error without its place.
func (p *Error) Unwrap() error { return p.err }

// Pointer returns the JSON pointer to the faulty value.
func (p *Error) Pointer() string { return p.pointer }

// Keyword returns the keyword in a schema that the place belongs to, "" if a schema itself is faulty.
func (p *Error) Keyword() string { return keywordAt(tokens(p.pointer)) }
