package clients

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// checkLines refuses characters that are line ends only in YAML.
func checkLines(text string) error {
	if strings.ContainsAny(strings.ReplaceAll(text, "\r\n", "\n"), "\r\u0085\u2028\u2029") {
		return errors.New("the file has line ends of a rare kind (a lone CR, NEL, LS or PS): replace them first")
	}
	return nil
}

// offsetOf returns the offset of a node in the text. The node's column counts characters.
func offsetOf(text string, n *yaml.Node) int {
	offset := 0
	for range n.Line - 1 {
		offset = endOfLine(text, offset)
	}
	for range n.Column - 1 {
		_, size := utf8.DecodeRuneInString(text[offset:])
		offset += size
	}
	return offset
}

// blockLines returns the lines of a key and what is below it: those that are indented further.
// Comments and blank lines after them belong to what follows.
func blockLines(text string, key *yaml.Node) (from, to int) {
	offset := offsetOf(text, key)
	from, to = startOfLine(text, offset), endOfLine(text, offset)
	for at := to; at < len(text); {
		end := endOfLine(text, at)
		line := strings.TrimRight(text[at:end], blanks)
		indent := len(line) - len(strings.TrimLeft(line, " "))
		if indent == key.Column-1 && (line[indent:] == "-" || strings.HasPrefix(line[indent:], "- ")) {
			indent++ // items of a list need not be indented further than its key
		}
		at = end
		switch {
		case line == "" || indent < key.Column && line[indent] == '#':
			continue
		case indent < key.Column:
			return from, to
		}
		to = end
	}
	return from, to
}

// valueEnd returns the end of a value in the text: of a scalar on one line, or of a value in brackets.
func valueEnd(text string, n *yaml.Node) (end int, ok bool) {
	start := offsetOf(text, n)
	switch {
	case n.Kind == yaml.ScalarNode && n.Style&yaml.DoubleQuotedStyle != 0:
		return quotedEnd(text, start)
	case n.Kind == yaml.ScalarNode && n.Style&yaml.SingleQuotedStyle != 0:
		written := "'" + strings.ReplaceAll(n.Value, "'", "''") + "'"
		return start + len(written), strings.HasPrefix(text[start:], written)
	case n.Kind == yaml.ScalarNode:
		return start + len(n.Value), n.Style == 0 && n.Value != "" && strings.HasPrefix(text[start:], n.Value)
	case n.Style&yaml.FlowStyle == 0:
		return 0, false
	}
	end = start + 1
	if len(n.Content) > 0 {
		if end, ok = valueEnd(text, n.Content[len(n.Content)-1]); !ok {
			return 0, false
		}
	}
	end = len(text) - len(strings.TrimLeft(text[end:], blanks+","))
	return end + 1, end < len(text) && strings.IndexByte("]}", text[end]) >= 0
}

// quotedEnd returns the end of a double-quoted text.
func quotedEnd(text string, start int) (end int, ok bool) {
	for i := start + 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1, text[start] == '"'
		}
	}
	return 0, false
}

// lineEnd makes sure that a text ends with a line end.
func lineEnd(text, newline string) string {
	if strings.HasSuffix(text, "\n") {
		return text
	}
	return text + newline
}

// block formats members, each on its own line.
func block(o object, indent int, newline string) string {
	var b strings.Builder
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	_ = e.Encode(node(o)) // what node makes can be written
	_ = e.Close()
	var text strings.Builder
	for line := range strings.Lines(b.String()) {
		text.WriteString(strings.Repeat(" ", indent) + strings.TrimSuffix(line, "\n") + newline)
	}
	return text.String()
}

// node returns a value as a YAML node.
func node(value any) *yaml.Node {
	n := &yaml.Node{}
	switch v := value.(type) {
	case object:
		n.Kind = yaml.MappingNode
		for _, m := range v {
			n.Content = append(n.Content, node(m.name), node(m.value))
		}
	case []string:
		n.Kind = yaml.SequenceNode
		for _, text := range v {
			n.Content = append(n.Content, node(text))
		}
	default:
		_ = n.Encode(v) // strings, numbers and booleans
	}
	return n
}

// blockInsert adds a member at the end of a mapping without braces.
func blockInsert(text string, mapping *yaml.Node, m member) string {
	first, last := mapping.Content[0], mapping.Content[len(mapping.Content)-2]
	_, to := blockLines(text, last)
	newline := newlineOf(text)
	return lineEnd(text[:to], newline) + block(object{m}, first.Column-1, newline) + text[to:]
}

// setValue replaces the value of a key. If its end is known, what follows on the line stays.
func setValue(text string, key, value *yaml.Node, m member, flow bool) (string, error) {
	if end, ok := valueEnd(text, value); ok {
		return text[:offsetOf(text, value)] + oneLine(m.value, flow) + text[end:], nil
	}
	if flow {
		return "", fmt.Errorf("line %d is formatted in a way that cannot be edited safely: edit %q by hand", key.Line,
			key.Value)
	}
	from, to := blockLines(text, key)
	return text[:from] + block(object{m}, key.Column-1, newlineOf(text)) + text[to:], nil
}

// oneLine formats a value on one line. In brackets, only JSON is safe.
func oneLine(value any, flow bool) string {
	if text, ok := value.(string); ok && !flow {
		return strings.TrimSuffix(block(object{{"x", text}}, 0, "\n")[len("x: "):], "\n")
	}
	return jsonStyle{space: " "}.write(value, "", false)
}

// flowInsert adds a member at the start of a mapping in braces: JSON is YAML there.
func flowInsert(text string, mapping *yaml.Node, m member) string {
	at := offsetOf(text, mapping) + 1
	added := jsonStyle{space: " "}.member(m, "", false)
	if len(mapping.Content) > 0 {
		added += ", "
	}
	return text[:at] + added + text[at:]
}

// flowCut removes a member from a mapping in braces. The last member must be JSON, so that its end
// can be found.
func flowCut(text string, key, value, next *yaml.Node) (string, error) {
	from := offsetOf(text, key)
	if next != nil {
		return text[:from] + text[offsetOf(text, next):], nil
	}
	start := offsetOf(text, value)
	d := json.NewDecoder(strings.NewReader(text[start:]))
	var skipped json.RawMessage
	if err := d.Decode(&skipped); err != nil {
		return "", fmt.Errorf("line %d is formatted in a way that cannot be edited safely: remove %q by hand", key.Line,
			key.Value)
	}
	head := text[:from]
	if short := strings.TrimRight(head, blanks); strings.HasSuffix(short, ",") {
		head = short[:len(short)-1]
	}
	return head + text[start+int(d.InputOffset()):], nil
}
