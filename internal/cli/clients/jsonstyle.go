package clients

import (
	"encoding/json"
	"strings"

	"github.com/tailscale/hujson"
)

// A jsonStyle is the formatting of a file.
type jsonStyle struct {
	newline string
	unit    string // one step of indentation
	space   string // after colons and commas
	flat    bool   // the whole file is one line
}

// styleOf returns the style of a text; the usual style for a text without members.
func styleOf(text string) jsonStyle {
	s := jsonStyle{newline: newlineOf(text), unit: "  ", space: " "}
	v, err := parseJSON(text)
	if err != nil {
		return s
	}
	o := v.Value.(*hujson.Object)
	if len(o.Members) == 0 {
		return s
	}
	first := o.Members[0]
	if strings.Contains(string(first.Name.BeforeExtra), "\n") {
		if indent := indentOf(text, first.Name.StartOffset); indent != "" {
			s.unit = indent
		}
	}
	if !strings.Contains(text[v.StartOffset:v.EndOffset], "\n") {
		s.flat = true
		if len(first.Value.BeforeExtra) == 0 {
			s.space = ""
		}
	}
	return s
}

// insert adds a member after the others of an object.
func (s jsonStyle) insert(text string, v hujson.Value, m member) string {
	o := v.Value.(*hujson.Object)
	end := v.EndOffset - 1 // the closing brace
	outer := indentOf(text, v.StartOffset)
	if len(o.Members) == 0 {
		kept := strings.TrimRight(text[v.StartOffset+1:end], blanks) // comments
		head := text[:v.StartOffset+1] + kept
		if s.flat && kept == "" {
			return head + s.member(m, "", false) + text[end:]
		}
		return head + s.newline + outer + s.unit + s.member(m, outer+s.unit, true) + s.newline + outer + text[end:]
	}
	last := o.Members[len(o.Members)-1]
	trailing := last.Value.AfterExtra != nil
	head, from := text[:last.Value.EndOffset]+",", last.Value.EndOffset
	if trailing {
		from = comma(last.Value) + 1
		head = text[:from]
	}
	rest := text[from:end]
	multi := strings.Contains(text[v.StartOffset:end], "\n")
	kept, indent := "", ""
	before := s.space
	if multi {
		kept = strings.TrimRight(rest, blanks) // comments
		indent = outer + s.unit
		if strings.Contains(string(last.Name.BeforeExtra), "\n") {
			indent = indentOf(text, last.Name.StartOffset)
		}
		before = s.newline + indent
	}
	added := s.member(m, indent, multi)
	if trailing {
		added += ","
	}
	return head + kept + before + added + rest[len(kept):] + text[end:]
}

// member formats a member whose line has that indentation.
func (s jsonStyle) member(m member, indent string, multi bool) string {
	return quote(m.name) + ":" + s.space + s.write(m.value, indent, multi)
}

// write formats a value. With multi, each member of an object is on its own line; lists are always on one line.
func (s jsonStyle) write(value any, indent string, multi bool) string {
	switch v := value.(type) {
	case object:
		if len(v) == 0 {
			return "{}"
		}
		var all []string
		if multi {
			for _, m := range v {
				all = append(all, indent+s.unit+s.member(m, indent+s.unit, true))
			}
			return "{" + s.newline + strings.Join(all, ","+s.newline) + s.newline + indent + "}"
		}
		for _, m := range v {
			all = append(all, s.member(m, "", false))
		}
		return "{" + strings.Join(all, ","+s.space) + "}"
	case []string:
		var all []string
		for _, text := range v {
			all = append(all, quote(text))
		}
		return "[" + strings.Join(all, ","+s.space) + "]"
	default:
		return quote(v)
	}
}

// quote formats a scalar as JSON, and leaves <, > and & as they are.
func quote(value any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(value) // strings, numbers and booleans
	return strings.TrimSuffix(b.String(), "\n")
}
