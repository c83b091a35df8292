package clients

import (
	"errors"
	"fmt"
	"io"
	"strings"

	invopop "github.com/invopop/yaml"
	"gopkg.in/yaml.v3"

	"github.com/mcp-bash/mcp-bash/v2/internal/document"
)

// yamlFormat is YAML with a single document.
type yamlFormat struct{}

func (yamlFormat) decode(text string) (map[string]any, error) {
	all := make(map[string]any)
	root, err := parseYAML(text)
	if err != nil || root == nil {
		return all, err
	}
	if err := invopop.Unmarshal([]byte(text), &all); err != nil { // values of the same types as JSON's
		return nil, yamlFault(err)
	}
	for name, value := range all {
		if value == nil && emptyIn(root, name) { // a key with nothing after it holds no entries
			all[name] = map[string]any{}
		}
	}
	return all, nil
}

func yamlFault(err error) error {
	line, reason := document.YAMLError(err)
	return &SyntaxError{Line: max(line, 1), Reason: reason}
}

// parseYAML returns the mapping of a text, nil for an empty text.
func parseYAML(text string) (*yaml.Node, error) {
	d := yaml.NewDecoder(strings.NewReader(text))
	var doc, more yaml.Node
	if err := d.Decode(&doc); errors.Is(err, io.EOF) {
		return nil, nil
	} else if err != nil {
		return nil, yamlFault(err)
	}
	if err := d.Decode(&more); err == nil {
		return nil, &SyntaxError{Line: more.Line, Reason: "the file holds more than one document"}
	} else if !errors.Is(err, io.EOF) {
		return nil, yamlFault(err)
	}
	root := doc.Content[0]
	if root.Tag == "!!null" && root.Value == "" {
		return nil, nil
	}
	if root.Kind != yaml.MappingNode {
		return nil, &SyntaxError{Line: root.Line, Column: root.Column,
			Reason: "the file must hold a mapping, as in key: value"}
	}
	return root, nil
}

// pair returns the nodes of a key and its value, and of the key after it; nil for none.
func pair(mapping *yaml.Node, name string) (key, value, next *yaml.Node) {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value != name {
			continue
		}
		if i+2 < len(mapping.Content) {
			next = mapping.Content[i+2]
		}
		return mapping.Content[i], mapping.Content[i+1], next
	}
	return nil, nil, nil
}

func emptyIn(root *yaml.Node, name string) bool {
	_, value, _ := pair(root, name)
	return value != nil && empty(value)
}

// empty reports whether a key has no value, as opposed to null.
func empty(value *yaml.Node) bool {
	return value.Kind == yaml.ScalarNode && value.Tag == "!!null" && value.Value == "" && value.Anchor == "" &&
		value.Style == 0
}

func (yamlFormat) set(text string, path []string, value any) (string, error) {
	newline := newlineOf(text)
	mapping, err := parseYAML(text)
	if err == nil {
		err = checkLines(text)
	}
	if err != nil {
		return "", err
	}
	for i, name := range path {
		m := member{name, nested(path[i+1:], value)}
		if mapping == nil || i == 0 && mapping.Style&yaml.FlowStyle == 0 && !has(mapping, name) {
			indent := 0
			if mapping != nil {
				indent = mapping.Column - 1
			}
			if text != "" {
				text = lineEnd(text, newline)
			}
			return text + block(object{m}, indent, newline), nil
		}
		key, old, _ := pair(mapping, name)
		switch flow := mapping.Style&yaml.FlowStyle != 0; {
		case key == nil && flow:
			return flowInsert(text, mapping, m), nil
		case key == nil:
			return blockInsert(text, mapping, m), nil
		case i == len(path)-1:
			return setValue(text, key, old, m, flow)
		}
		from, below := offsetOf(text, old), endOfLine(text, offsetOf(text, key))
		switch inside := m.value.(object); {
		case empty(old):
			return lineEnd(text[:below], newline) + block(inside, key.Column+1, newline) + text[below:], nil
		case old.Kind != yaml.MappingNode:
			return "", fmt.Errorf("%q is an alias of another part of the file: edit it by hand", name)
		case mapping.Style&yaml.FlowStyle == 0 && len(old.Content) == 0 && strings.HasPrefix(text[from:], "{}"):
			line := strings.TrimRight(text[:from], " ") + strings.TrimRight(text[from+2:below], "\r\n") + newline
			return line + block(inside, key.Column+1, newline) + text[below:], nil
		}
		mapping = old
	}
	return text, nil
}

func (yamlFormat) remove(text string, path []string, emptied bool) (string, error) {
	inner, err := parseYAML(text)
	if err != nil || inner == nil {
		return text, err
	}
	var parent, mapping, key, value, next *yaml.Node
	for _, name := range path {
		parent, mapping = key, inner
		if key, value, next = pair(mapping, name); key == nil {
			return text, nil
		}
		inner = value
	}
	if mapping.Style&yaml.FlowStyle != 0 {
		return flowCut(text, key, value, next)
	}
	from, to := blockLines(text, key)
	head, tail := text[:from], text[to:]
	if len(mapping.Content) > 2 {
		return head + tail, nil
	}
	line := offsetOf(text, parent)
	if emptied {
		return text[:startOfLine(text, line)] + head[endOfLine(text, line):] + tail, nil
	}
	colon := line + strings.IndexByte(text[line:], ':') + 1
	return text[:colon] + " {}" + head[colon:] + tail, nil
}

func has(mapping *yaml.Node, name string) bool {
	key, _, _ := pair(mapping, name)
	return key != nil
}
