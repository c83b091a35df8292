package jq

import (
	"encoding/json"
	"io"
	"slices"
)

// A position is where --stream is in the text.
type position struct {
	path   []any        // the last item is nil at the start of an array or object
	open   []json.Delim // the arrays and objects that path leads through
	keyDue bool         // the next token is a key or ends an object
}

// event returns the next event of --stream, or io.EOF: [path, leaf] for what is not an
// array or object, or is an empty one, and [path] after the last item of one that is not
// empty.
func (r *reader) event() (any, error) {
	for {
		token, err := r.json.Token()
		if err == io.EOF && len(r.open) > 0 {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return nil, r.fault(err)
		}
		if token == json.Delim(']') || token == json.Delim('}') {
			return r.leave(), nil
		}
		if r.keyDue {
			r.path[len(r.path)-1], r.keyDue = token, false
			continue
		}
		r.advance()
		if delim, ok := token.(json.Delim); ok {
			r.path, r.open, r.keyDue = append(r.path, nil), append(r.open, delim), delim == '{'
			continue
		}
		r.keyDue = r.inObject()
		return []any{slices.Clone(r.path), any(token)}, nil
	}
}

func (p *position) inObject() bool { return len(p.open) > 0 && p.open[len(p.open)-1] == '{' }

// advance goes to the next item of an array.
func (p *position) advance() {
	if len(p.open) == 0 || p.inObject() {
		return
	}
	last := &p.path[len(p.path)-1]
	if i, ok := (*last).(int); ok {
		*last = i + 1
	} else {
		*last = 0
	}
}

// leave returns the event at the end of an array or object.
func (p *position) leave() any {
	path, object := slices.Clone(p.path), p.inObject()
	depth := len(p.path) - 1
	p.path, p.open = p.path[:depth], p.open[:depth]
	p.keyDue = p.inObject()
	switch {
	case path[depth] != nil:
		return []any{path}
	case object:
		return []any{path[:depth], map[string]any{}}
	default:
		return []any{path[:depth], []any{}}
	}
}
