// Package argv builds the command line of a program from the arguments of a call and a template
// that its author wrote:
//
//	["--json", "{verbose?--verbose}", "--depth={depth?}", ["-g", "{glob}"], "--", "{pattern}", "{paths...}"]
//
// A template is split into words when it is written, never afterwards, and no shell is involved:
// whatever a value holds, it stays in its word.
package argv

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

// A Template is a command line with places for arguments.
type Template []Item

// An Item is one word, or several words that are included or left out together.
type Item struct {
	Words    []Word
	Together bool // written as a list: all of its words are left out if one of its arguments is absent
}

// A Word is text with places for arguments.
type Word []Part

// A Part is text as it is, or a place for an argument.
type Part struct {
	Kind Kind
	Text string // as it is, or that of a Flag
	Name string // of the argument
}

// A Kind is how an argument is inserted, and what happens to its word if the argument is absent.
type Kind int

const (
	Literal  Kind = iota // no argument
	Value                // {name}: the value; it is required
	Optional             // {name?}: the value; the word is left out without one
	Flag                 // {name?text}: the text if the argument is true; else the word is left out
	Spread               // {name...}: the word once for each element of an array
)

// ParseWord parses a word of a template. Literal braces are doubled.
func ParseWord(text string) (Word, error) {
	var w Word
	var literal strings.Builder
	end := func() {
		if literal.Len() > 0 {
			w = append(w, Part{Text: literal.String()})
			literal.Reset()
		}
	}
	for i := 0; i < len(text); {
		switch rest := text[i:]; {
		case strings.HasPrefix(rest, "{{"), strings.HasPrefix(rest, "}}"):
			literal.WriteByte(rest[0])
			i += 2
		case rest[0] == '}':
			return nil, fmt.Errorf("%q has a } without a {; write }} for a brace as it is", text)
		case rest[0] == '{':
			inside, _, closed := strings.Cut(rest[1:], "}")
			if !closed {
				return nil, fmt.Errorf("%q has a { without a }; write {{ for a brace as it is", text)
			}
			p, err := parsePlace(inside)
			if err != nil {
				return nil, fmt.Errorf("%q: %w", text, err)
			}
			end()
			w = append(w, p)
			i += len(inside) + 2
		case rest[0] == 0:
			return nil, fmt.Errorf("%q has a zero byte, which no word can hold", text)
		default:
			literal.WriteByte(rest[0])
			i++
		}
	}
	end()
	spreads := slices.DeleteFunc(w.Places(), func(p Part) bool { return p.Kind != Spread })
	if len(spreads) > 1 {
		return nil, fmt.Errorf("%q has %d lists; a word takes one", text, len(spreads))
	}
	return w, nil
}

// parsePlace parses the text between braces.
func parsePlace(inside string) (Part, error) {
	p := Part{Kind: Value, Name: inside}
	if name, ok := strings.CutSuffix(inside, "..."); ok {
		p = Part{Kind: Spread, Name: name}
	} else if name, text, ok := strings.Cut(inside, "?"); ok {
		p = Part{Kind: Optional, Name: name, Text: text}
		if text != "" {
			p.Kind = Flag
		}
	}
	switch {
	case p.Name == "":
		return Part{}, fmt.Errorf("{%s} names no argument; write {name}", inside)
	case strings.ContainsAny(p.Name, "{?"):
		return Part{}, fmt.Errorf("{%s} is not a place; write {name}, {name?}, {name?--flag} or {name...}", inside)
	case strings.ContainsAny(p.Text, "{\x00"):
		return Part{}, fmt.Errorf("{%s} is not a place: the text of a flag has no braces", inside)
	}
	return p, nil
}

// Literal returns the text of a word without places; ok is false if it has any.
func (w Word) Literal() (text string, ok bool) {
	for _, p := range w {
		if p.Kind != Literal {
			return "", false
		}
		text += p.Text
	}
	return text, true
}

// Start returns the text before the first place.
func (w Word) Start() string {
	if len(w) == 0 || w[0].Kind != Literal {
		return ""
	}
	return w[0].Text
}

// Places returns the places of a word, in order.
func (w Word) Places() []Part {
	return slices.DeleteFunc(slices.Clone(w), func(p Part) bool { return p.Kind == Literal })
}

// Fill returns the words for the arguments of a call. The error is a [*Fault].
func (t Template) Fill(args Arguments) ([]string, error) {
	var all []string
	for _, item := range t {
		if item.Together && !item.complete(args) {
			continue
		}
		for _, w := range item.Words {
			words, err := w.Fill(args)
			if err != nil {
				return nil, err
			}
			all = append(all, words...)
		}
	}
	return all, nil
}

// complete reports whether no argument of the item is absent.
func (item Item) complete(args Arguments) bool {
	for _, w := range item.Words {
		if slices.ContainsFunc(w.Places(), func(p Part) bool { return !args.has(p) }) {
			return false
		}
	}
	return true
}

// Fill returns the words that w becomes with the arguments of a call: none if it is left out, several
// if a list is spread. The error is a [*Fault].
func (w Word) Fill(args Arguments) ([]string, error) {
	words, err := w.Text(args)
	for _, word := range words {
		if strings.IndexByte(word, 0) >= 0 {
			return nil, &Fault{w.zero(args), "has a zero byte, which no command line can hold"}
		}
	}
	return words, err
}

// zero returns the name of the argument that contains a zero byte.
func (w Word) zero(args Arguments) string {
	places := w.Places()
	i := slices.IndexFunc(places, func(p Part) bool {
		return args.has(p) && strings.Contains(strings.Join(args.elements(p.Name), ""), "\x00")
	})
	return places[max(i, 0)].Name
}

// Text is Fill for text other than a command line, which may contain zero bytes.
func (w Word) Text(args Arguments) ([]string, error) {
	words := []string{""}
	add := func(text string) {
		for i := range words {
			words[i] += text
		}
	}
	for _, p := range w {
		switch {
		case p.Kind == Literal:
			add(p.Text)
		case p.Kind == Spread && args.has(p):
			elements := args.elements(p.Name)
			spread := make([]string, 0, len(elements))
			for _, element := range elements {
				spread = append(spread, words[0]+element) // a word has at most one list, so words has one element here
			}
			words = spread
		case p.Kind == Flag && args.has(p):
			add(p.Text)
		case args.has(p):
			add(textOf(args.values[p.Name]))
		case p.Kind == Value:
			return nil, &Fault{p.Name, "is required on the command line"}
		default:
			return nil, nil
		}
	}
	return words, nil
}

// A Fault is the error for an argument that cannot be put into a command line.
type Fault struct {
	Name   string // of the argument
	Reason string // such as "is required on the command line"
}

func (f *Fault) Error() string { return fmt.Sprintf("argument %q %s", f.Name, f.Reason) }

// Arguments are the arguments of one call. A null argument counts as absent.
type Arguments struct{ values map[string]json.Value }

// ReadArguments reads the arguments from a JSON object. Absent ones get their defaults. The last value of
// a name is used; what is not UTF-8, such as half a surrogate pair, becomes U+FFFD in the words.
func ReadArguments(object []byte, defaults map[string]json.Value) (Arguments, error) {
	args := Arguments{make(map[string]json.Value)}
	for m, err := range json.Members(object, '{', json.Lenient) {
		if err != nil {
			return args, err
		}
		args.values[m.Name] = m.Value
		if m.Value.Kind() == 'n' {
			delete(args.values, m.Name)
		}
	}
	for name, value := range defaults {
		if _, given := args.values[name]; !given && value.Kind() != 'n' {
			args.values[name] = value
		}
	}
	return args, nil
}

// has reports whether there is something to insert at a place.
func (a Arguments) has(p Part) bool {
	value, ok := a.values[p.Name]
	switch p.Kind {
	case Flag:
		return ok && value.Kind() == 't'
	case Spread:
		return ok && len(a.elements(p.Name)) > 0
	}
	return ok
}

// elements returns the texts of the items of a list without nulls, or the text of a value that is not a list.
func (a Arguments) elements(name string) []string {
	value := a.values[name]
	if value.Kind() != '[' {
		return []string{textOf(value)}
	}
	var all []string
	for _, element := range json.Elements(value) {
		if element.Kind() != 'n' {
			all = append(all, textOf(element))
		}
	}
	return all
}

// textOf returns a value as programs expect it: a string without quotes, a whole number without a
// fraction, however the client wrote it, and an object or array as JSON on one line.
func textOf(value json.Value) string {
	switch value.Kind() {
	case '"':
		return json.Text(value)
	case '0':
		if digits, ok := json.Whole(string(value)); ok { // JSON Schema counts 5.0 and 1e3 as integers, but few programs do
			return digits
		}
		return string(value)
	}
	line, _ := json.Sendable(value) // reading the arguments saw that it is valid
	line = line.Clone()
	line.Compact(json.Lenient)
	return string(line)
}
