package jq

// maxDepth is how deep arrays and objects may be nested.
const maxDepth = 10000

// A grammar checks the order of tokens, for one text after the other, and says what is
// wrong in the words of jq.
type grammar struct {
	open []container // from the outermost
}

// A container is an array or object that is not closed yet.
type container struct {
	kind  byte // '[' or '{'
	state state
}

type state uint8

const (
	begun     state = iota // nothing in it yet
	wantsItem              // after a comma: the next element or key
	wantsColon
	badKey // as wantsColon, after a key that is no string
	wantsValue
	hasValue // wants a comma or the end
)

// A role is what a token is in its text.
type role uint8

const (
	punctuation role = iota
	key
	leaf // a value that is no array and no object
	opening
	closing
)

// accept takes the next token, and returns its role and what is wrong with it, or "".
func (g *grammar) accept(t token) (role, string) {
	if len(g.open) == 0 {
		return g.outside(t)
	}
	c := &g.open[len(g.open)-1]
	switch t.kind {
	case ':':
		return punctuation, c.colon()
	case ',':
		return punctuation, c.comma()
	case ']', '}':
		if fault := c.end(t.kind); fault != "" {
			return closing, fault
		}
		g.open = g.open[:len(g.open)-1]
		if len(g.open) > 0 {
			g.open[len(g.open)-1].state = hasValue
		}
		return closing, ""
	}
	switch c.state {
	case wantsColon, badKey, hasValue:
		return leaf, "Expected separator between values"
	case begun, wantsItem:
		if c.kind == '{' {
			return c.key(t)
		}
	}
	if t.kind != scalar {
		return opening, g.push(t.kind)
	}
	c.state = hasValue
	return leaf, ""
}

func (g *grammar) outside(t token) (role, string) {
	switch t.kind {
	case ':':
		return punctuation, "Expected string key before ':'"
	case ',':
		return punctuation, "Expected value before ','"
	case ']', '}':
		return closing, "Unmatched '" + string(t.kind) + "'"
	case scalar:
		return leaf, ""
	}
	return opening, g.push(t.kind)
}

func (g *grammar) push(kind byte) string {
	if len(g.open) == maxDepth {
		return "Exceeds depth limit for parsing"
	}
	g.open = append(g.open, container{kind: kind})
	return ""
}

func (c *container) key(t token) (role, string) {
	if t.kind != scalar {
		return opening, "Expected string key, not '" + string(t.kind) + "'"
	}
	if _, ok := t.value.(string); !ok {
		c.state = badKey // the colon is where jq complains
		return punctuation, ""
	}
	c.state = wantsColon
	return key, ""
}

func (c *container) colon() string {
	switch c.state {
	case wantsColon:
		c.state = wantsValue
		return ""
	case badKey:
		return "Object keys must be strings"
	case hasValue:
		return "':' not as part of an object"
	}
	return "Expected string key before ':'"
}

func (c *container) comma() string {
	switch c.state {
	case hasValue:
		c.state = wantsItem
		return ""
	case wantsColon, badKey:
		return "Objects must consist of key:value pairs"
	}
	return "Expected value before ','"
}

func (c *container) end(kind byte) string {
	pairs := c.state == wantsColon || c.state == badKey
	switch {
	case c.kind == kind-2 && (c.state == begun || c.state == hasValue): // ']' is '[' + 2, '}' is '{' + 2
		return ""
	case kind == '}' && (pairs || c.kind == '[' && c.state == hasValue):
		return "Objects must consist of key:value pairs"
	case c.kind != kind-2 || c.state == wantsValue:
		return "Unmatched '" + string(kind) + "'"
	case kind == ']':
		return "Expected another array element"
	}
	return "Expected another key-value pair"
}
