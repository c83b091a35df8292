package clients

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/mcp-bash/mcp-bash/v2/internal/lazyregexp"
)

// jsonFormat is JSON in which comments and trailing commas are allowed.
type jsonFormat struct{}

func (jsonFormat) decode(text string) (map[string]any, error) {
	if strings.Trim(text, blanks) == "" {
		return map[string]any{}, nil
	}
	if _, err := parseJSON(text); err != nil {
		return nil, err
	}
	plain, err := hujson.Standardize([]byte(closed(text)))
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(strings.NewReader(string(plain)))
	d.UseNumber()
	all := make(map[string]any)
	return all, d.Decode(&all)
}

var jsonPosition = lazyregexp.New(`^hujson: line (\d+), column (\d+): (.*)$`)

// parseJSON parses a text that holds an object.
func parseJSON(text string) (hujson.Value, error) {
	v, err := hujson.Parse([]byte(closed(text)))
	if err != nil {
		fault := &SyntaxError{Line: 1, Reason: err.Error()}
		if m := jsonPosition.Get().FindStringSubmatch(err.Error()); m != nil {
			fault.Line, _ = strconv.Atoi(m[1])
			fault.Column, _ = strconv.Atoi(m[2])
			fault.Reason = m[3]
		}
		return v, fault
	}
	if _, ok := v.Value.(*hujson.Object); !ok {
		return v, &SyntaxError{Line: 1, Column: 1, Reason: "the file must hold a JSON object, {…}"}
	}
	return v, nil
}

// closed ends a comment at the end of the file, as the parser requires. Offsets do not change.
func closed(text string) string {
	if strings.Contains(text[startOfLine(text, len(text)):], "//") {
		return text + "\n"
	}
	return text
}

// child returns the index of a member, -1 for none.
func child(v hujson.Value, name string) (int, error) {
	found := -1
	for i, m := range v.Value.(*hujson.Object).Members {
		if m.Name.Value.(hujson.Literal).String() != name {
			continue
		}
		if found >= 0 {
			return -1, fmt.Errorf("%q is a duplicate: remove one of the two first", name)
		}
		found = i
	}
	return found, nil
}

func (jsonFormat) set(text string, path []string, value any) (string, error) {
	style := styleOf(text)
	if strings.Trim(text, blanks) == "" {
		return style.write(nested(path, value), "", true) + style.newline, nil
	}
	v, err := parseJSON(text)
	if err != nil {
		return "", err
	}
	multi := false
	for i, name := range path {
		at, err := child(v, name)
		if err != nil {
			return "", err
		}
		if at < 0 {
			return style.insert(text, v, member{name, nested(path[i+1:], value)}), nil
		}
		multi = strings.Contains(text[v.StartOffset:v.EndOffset], "\n")
		v = v.Value.(*hujson.Object).Members[at].Value
	}
	return text[:v.StartOffset] + style.write(value, indentOf(text, v.StartOffset), multi) + text[v.EndOffset:], nil
}

func (f jsonFormat) remove(text string, path []string, emptied bool) (string, error) {
	v, err := parseJSON(text)
	if err != nil {
		return "", err
	}
	around, at := v, 0
	for _, name := range path {
		around = v
		if at, err = child(v, name); err != nil || at < 0 {
			return text, err
		}
		v = v.Value.(*hujson.Object).Members[at].Value
	}
	if emptied && len(around.Value.(*hujson.Object).Members) == 1 {
		return f.remove(text, path[:len(path)-1], false)
	}
	return cut(text, around, at), nil
}

// cut removes a member from an object, with its comma and blanks.
func cut(text string, v hujson.Value, i int) string {
	o := v.Value.(*hujson.Object)
	m := o.Members[i]
	last := i == len(o.Members)-1
	from := v.StartOffset + 1 // after the previous member
	if i > 0 {
		from = comma(o.Members[i-1].Value) + 1
	}
	kept := strings.TrimRight(text[from:m.Name.StartOffset], blanks) // comments
	head, tail := text[:from]+kept, text[m.Value.EndOffset:]
	if !last || m.Value.AfterExtra != nil {
		tail = string(m.Value.AfterExtra) + text[comma(m.Value)+1:]
	} else if i > 0 { // no comma after the member that is last now
		before := comma(o.Members[i-1].Value)
		head = text[:before] + text[before+1:from] + kept
	}
	comment := kept[strings.LastIndexByte(kept, '\n')+1:]
	if strings.Contains(comment, "//") && !strings.HasPrefix(strings.TrimLeft(tail, " \t\r"), "\n") {
		head += newlineOf(text) // the rest must not become part of the comment
	}
	if last && i == 0 && kept == "" {
		if rest := strings.TrimLeft(tail, blanks); strings.HasPrefix(rest, "}") {
			tail = rest
		}
	}
	return head + tail
}

// comma returns the offset of the comma after a value.
func comma(v hujson.Value) int { return v.EndOffset + len(v.AfterExtra) }
