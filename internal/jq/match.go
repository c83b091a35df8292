package jq

import (
	"fmt"

	"github.com/dlclark/regexp2"
	"github.com/itchyny/gojq"
)

// The functions of regular expressions. Offsets and lengths count code points.

// matchable returns the text that is matched.
func matchable(v any) (string, error) {
	s, ok := v.(string)
	if !ok {
		return "", fmt.Errorf("%s (%s) cannot be matched, as it is not a string", gojq.TypeOf(v), gojq.Preview(v))
	}
	return s, nil
}

func (f *functions) test(v any, args []any) any {
	found := false
	err := f.eachMatch(v, args, func(*regexp2.Match, *pattern) bool {
		found = true
		return false
	})
	if err != nil {
		return err
	}
	return found
}

func (f *functions) matches(v any, args []any) any {
	all := []any{}
	err := f.eachMatch(v, args, func(m *regexp2.Match, p *pattern) bool {
		captures := []any{}
		for i, name := range p.groups {
			captures = append(captures, f.capture(m.GroupByNumber(i+1), name))
		}
		match := map[string]any{"offset": m.Index, "length": m.Length, "string": m.String(), "captures": captures}
		f.orders.set(match, []string{"offset", "length", "string", "captures"})
		all = append(all, match)
		return true
	})
	if err != nil {
		return err
	}
	return all
}

func (f *functions) eachMatch(v any, args []any, yield func(*regexp2.Match, *pattern) bool) error {
	text, err := matchable(v)
	if err != nil {
		return err
	}
	p, err := f.patterns.find(args[0], args[1])
	if err != nil {
		return err
	}
	return p.each(text, func(m *regexp2.Match) bool { return yield(m, p) })
}

func (f *functions) capture(g *regexp2.Group, name string) any {
	c := map[string]any{"offset": -1, "length": 0, "string": nil, "name": nil}
	if g != nil && len(g.Captures) > 0 {
		c["offset"], c["length"], c["string"] = g.Index, g.Length, g.String()
	}
	if name != "" {
		c["name"] = name
	}
	if c["length"] == 0 { // jq has it so
		f.orders.set(c, []string{"offset", "string", "length", "name"})
	} else {
		f.orders.set(c, []string{"offset", "length", "string", "name"})
	}
	return c
}

// named makes an object of the named captures of a match.
func (f *functions) named(v any, _ []any) any {
	match, _ := v.(map[string]any)
	captures, _ := match["captures"].([]any)
	object := map[string]any{}
	var names []any
	for _, c := range captures {
		c, _ := c.(map[string]any)
		name, ok := c["name"].(string)
		if _, again := object[name]; !ok || again && c["string"] == nil {
			continue // of (?<x>a)|(?<x>b) the one that took part
		}
		object[name] = c["string"]
		names = append(names, name)
	}
	f.orders.shape(object, names)
	return object
}

// splitRegex splits a text at all matches.
func (f *functions) splitRegex(v any, args []any) any {
	text, err := matchable(v)
	if err != nil {
		return err
	}
	flags, _ := args[1].(string)
	found, ok := f.matches(v, []any{args[0], flags + "g"}).([]any)
	if !ok {
		return f.matches(v, args)
	}
	return between(text, found)
}

// splitAt returns what is before, between and after the matches in a text.
func (f *functions) splitAt(v any, args []any) any {
	text, _ := v.(string)
	found, _ := args[0].([]any)
	return between(text, found)
}

func between(text string, found []any) []any {
	runes := []rune(text)
	parts := make([]any, 0, len(found)+1)
	from := 0
	for _, m := range found {
		m, _ := m.(map[string]any)
		offset, _ := m["offset"].(int)
		length, _ := m["length"].(int)
		parts = append(parts, string(runes[from:offset]))
		from = offset + length
	}
	return append(parts, string(runes[from:]))
}
