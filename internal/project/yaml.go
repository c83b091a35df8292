package project

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/big"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/mcp-bash/mcp-bash/v2/internal/jsonv2/jsontext"
)

// The limits of a YAML file, so that a small one cannot cost much: aliases multiply.
const (
	yamlBytes = 128 << 10 // of the file
	yamlJSON  = 1 << 20   // of the JSON it stands for
	yamlKeys  = 2000      // in one mapping
	yamlDepth = 64
)

// yamlDocument turns a YAML file into JSON by walking its nodes, not by decoding it: 1.20, a date,
// and thirty digits stay what they are, yes and on are words, and keys keep their order. Only what
// JSON can represent is accepted: one document of plain mappings, sequences and scalars.
func yamlDocument(file string, data []byte) (document, *Fault) {
	d := document{file: file, line: func(offset int) int { return lineAt(data, offset) }}
	last := lineAt(data, len(data)) // YAML sees line ends where no editor does
	refuse := func(line int, reason, hint string) (document, *Fault) {
		return d, &Fault{File: file, Line: min(line, last), Reason: reason, Hint: hint}
	}
	if at := badText(data); at >= 0 {
		return refuse(lineAt(data, at), "is not valid YAML: a byte that is not UTF-8", "save it as UTF-8")
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var root, more yaml.Node
	err := dec.Decode(&root)
	if errors.Is(err, io.EOF) {
		return d, nil // empty, as the JSON parser will find
	}
	if err == nil {
		if err = dec.Decode(&more); err == nil {
			return refuse(more.Line, "contains more than one YAML document", "remove what follows the line ---")
		}
	}
	if !errors.Is(err, io.EOF) {
		line, reason := yamlError(err)
		hint := ""
		if strings.Contains(reason, "cannot start any token") {
			hint = "indent with blanks, not with tabs, and quote what begins with a sign"
		}
		return refuse(line, "is not valid YAML: "+reason, hint)
	}
	w := yamlWalker{}
	if fault := w.node(&root, 0); fault != nil {
		return refuse(fault.Line, fault.Reason, fault.Hint)
	}
	d.json, d.line = w.json, func(offset int) int { return min(w.line(offset), last) }
	return d, nil
}

// badText returns the offset of the first byte that YAML does not allow, or -1.
func badText(data []byte) int {
	for at := 0; at < len(data); {
		r, n := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && n == 1 || r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0x7F {
			return at
		}
		at += n
	}
	return -1
}

// yamlError extracts the line from the error text of the YAML library. Its parser (not its scanner)
// counts from 0, and omits the first line.
func yamlError(err error) (line int, reason string) {
	reason = strings.TrimPrefix(err.Error(), "yaml: ")
	if rest, ok := strings.CutPrefix(reason, "line "); ok {
		if number, text, ok := strings.Cut(rest, ": "); ok {
			line, _ = strconv.Atoi(number)
			reason = text
		}
	}
	switch strings.TrimPrefix(reason, "did not find expected ") {
	case "key", "node content", "',' or ']'", "',' or '}'", "'-' indicator", "<document start>":
		line++
	}
	if line == 0 && !strings.HasPrefix(reason, "unknown anchor") {
		line = 1
	}
	return line, reason
}

func yamlFault(at *yaml.Node, reason, hint string) *Fault {
	return &Fault{Line: at.Line, Reason: reason, Hint: hint}
}

// A yamlWalker writes JSON, and records the line that each part came from.
type yamlWalker struct {
	json  []byte
	marks []yamlMark // in the order of offsets
}

type yamlMark struct{ offset, line int }

// line returns the line of the YAML that the byte at offset of the JSON came from.
func (w *yamlWalker) line(offset int) int {
	i := sort.Search(len(w.marks), func(i int) bool { return w.marks[i].offset > offset })
	if i == 0 {
		return 1
	}
	return w.marks[i-1].line
}

func (w *yamlWalker) node(n *yaml.Node, depth int) *Fault {
	switch {
	case depth > yamlDepth:
		return yamlFault(n, "is nested too deep", fmt.Sprintf("use at most %d levels", yamlDepth))
	case len(w.json) > yamlJSON:
		return yamlFault(n, "is too large with its aliases written out", "use fewer aliases (*name)")
	}
	w.marks = append(w.marks, yamlMark{len(w.json), n.Line})
	switch n.Kind {
	case yaml.DocumentNode:
		return w.node(n.Content[0], depth)
	case yaml.AliasNode:
		return w.node(n.Alias, depth+1)
	case yaml.SequenceNode:
		return w.sequence(n, depth)
	case yaml.MappingNode:
		return w.mapping(n, depth)
	default:
		return w.scalar(n)
	}
}

func (w *yamlWalker) sequence(n *yaml.Node, depth int) *Fault {
	if n.ShortTag() != "!!seq" {
		return badTag(n)
	}
	w.json = append(w.json, '[')
	for i, item := range n.Content {
		if i > 0 {
			w.json = append(w.json, ',')
		}
		if fault := w.node(item, depth+1); fault != nil {
			return fault
		}
	}
	w.json = append(w.json, ']')
	return nil
}

func (w *yamlWalker) mapping(n *yaml.Node, depth int) *Fault {
	switch {
	case n.ShortTag() != "!!map":
		return badTag(n)
	case len(n.Content)/2 > yamlKeys:
		return yamlFault(n, fmt.Sprintf("has more than %d keys in one mapping", yamlKeys), "")
	}
	w.json = append(w.json, '{')
	seen := make(map[string]bool, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		switch {
		case key.Kind != yaml.ScalarNode:
			return yamlFault(key, "a key must be a plain name", "")
		case key.ShortTag() == "!!merge":
			return yamlFault(key, "merge keys (<<) are not supported", "write the fields out")
		case seen[key.Value]:
			return yamlFault(key, fmt.Sprintf("the key %q is a duplicate", key.Value), "keep one of the two")
		}
		seen[key.Value] = true
		if i > 0 {
			w.json = append(w.json, ',')
		}
		w.marks = append(w.marks, yamlMark{len(w.json), key.Line})
		if fault := w.string(key); fault != nil {
			return fault
		}
		w.json = append(w.json, ':')
		if fault := w.node(value, depth+1); fault != nil {
			return fault
		}
	}
	w.json = append(w.json, '}')
	return nil
}

func (w *yamlWalker) scalar(n *yaml.Node) *Fault {
	switch n.ShortTag() {
	case "!!null":
		w.json = append(w.json, "null"...)
	case "!!bool":
		word := strings.ToLower(n.Value)
		if word != "true" && word != "false" {
			return badTag(n)
		}
		w.json = append(w.json, word...)
	case "!!str", "!!timestamp":
		return w.string(n)
	case "!!int", "!!float":
		return w.number(n)
	default:
		return badTag(n)
	}
	return nil
}

// number keeps the literal if it is valid JSON, or else writes its exact value.
func (w *yamlWalker) number(n *yaml.Node) *Fault {
	literal := strings.TrimPrefix(n.Value, "+")
	if value := jsontext.Value(literal); value.IsValid() && value.Kind() == '0' && strings.TrimSpace(literal) == literal {
		w.json = append(w.json, literal...)
		return nil
	}
	if i, ok := new(big.Int).SetString(strings.ReplaceAll(literal, "_", ""), 0); ok {
		w.json = i.Append(w.json, 10)
		return nil
	}
	var f float64
	if err := n.Decode(&f); err != nil || f != f || f-f != 0 { // NaN, or infinite
		return yamlFault(n, printable(n.Value)+" is not a number in JSON", "put it in quotes to make it a string")
	}
	w.json = jsontext.AppendFloat(w.json, f, 64)
	return nil
}

func (w *yamlWalker) string(n *yaml.Node) *Fault {
	var err error
	if w.json, err = jsontext.AppendQuote(w.json, n.Value); err != nil {
		return yamlFault(n, "is not valid UTF-8", "")
	}
	return nil
}

func badTag(n *yaml.Node) *Fault {
	return yamlFault(n, "the tag "+printable(n.Tag)+" is not supported", "remove it")
}
