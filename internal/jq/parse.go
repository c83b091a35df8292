package jq

import (
	"errors"
	"io"
	"slices"
	"strings"
)

// A parser reads JSON texts, one after the other, as values of the library: numbers as
// json.Number, so that they keep their digits, and objects with their order in orders.
type parser struct {
	*source
	orders  *orders
	seq     bool // the texts are a JSON sequence
	grammar grammar
	build   []partial
	last    []string // keys of the last object: the next has them too, more often than not
	path    []any    // where event is
}

// A partial is an array or object that is being read.
type partial struct {
	array  []any
	object map[string]any // nil for an array
	keys   []string
	key    string
}

// token returns the next token that the grammar allows, or io.EOF between two texts.
func (p *parser) token() (token, role, error) {
	t, err := p.next(p.seq)
	if err == io.EOF && len(p.grammar.open) > 0 {
		return t, 0, p.unfinished()
	}
	if err != nil {
		return t, 0, err
	}
	r, fault := p.grammar.accept(t)
	switch {
	case fault != "" && t.open:
		return t, r, p.faultAfter(fault)
	case fault != "":
		return t, r, p.fault(fault)
	case t.open && len(p.grammar.open) > 0 && !p.more():
		return t, r, p.unfinished()
	}
	return t, r, nil
}

func (p *parser) unfinished() error {
	if err := p.failed(); err != nil {
		return err
	}
	return p.fault("Unfinished JSON term at EOF")
}

// value returns the next value, or io.EOF.
func (p *parser) value() (any, error) {
	for {
		t, r, err := p.token()
		if err != nil {
			return nil, err
		}
		v := t.value
		switch r {
		case key:
			p.build[len(p.build)-1].key = v.(string)
			continue
		case opening:
			p.begin(t.kind)
			continue
		case punctuation:
			continue
		case closing:
			v = p.finish()
		}
		if len(p.build) == 0 {
			return v, nil
		}
		p.build[len(p.build)-1].add(v)
	}
}

func (p *parser) begin(kind byte) {
	if kind == '[' {
		p.build = append(p.build, partial{array: []any{}})
	} else {
		p.build = append(p.build, partial{object: map[string]any{}})
	}
}

func (u *partial) add(v any) {
	if u.object == nil {
		u.array = append(u.array, v)
		return
	}
	if _, again := u.object[u.key]; !again {
		u.keys = append(u.keys, u.key)
	}
	u.object[u.key] = v
}

func (p *parser) finish() any {
	u := p.build[len(p.build)-1]
	p.build = p.build[:len(p.build)-1]
	if u.object == nil {
		return u.array
	}
	if slices.Equal(u.keys, p.last) {
		u.keys = p.last
	}
	p.last = u.keys
	p.orders.set(u.object, u.keys)
	return u.object
}

// parseText reads a text that holds one value.
func (o *orders) parseText(text string) (any, error) {
	p := &parser{source: newSource("", strings.NewReader(text)), orders: o}
	v, err := p.value()
	if err == io.EOF {
		return nil, errors.New("Expected JSON value")
	}
	if err != nil {
		return nil, err
	}
	if _, err := p.value(); err != io.EOF {
		if err == nil {
			err = errors.New("Unexpected extra JSON values")
		}
		return nil, err
	}
	return v, nil
}

// parseAll reads all values of a text.
func (o *orders) parseAll(r io.Reader) ([]any, error) {
	p := &parser{source: newSource("", r), orders: o}
	all := []any{}
	for {
		v, err := p.value()
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
}
