package document

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/big"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/internal/lazyregexp"
)

// The limits of a YAML file, so that a small one cannot cost much: aliases multiply.
const (
	YAMLBytes = 128 << 10 // of the file
	yamlJSON  = 1 << 20   // of the JSON it stands for
	yamlKeys  = 2000      // in one mapping
	yamlDepth = 64
	yamlLost  = 100    // values that are left out
	yamlMerge = 20_000 // keys that merges (<<) add or repeat
)

// YAML turns a YAML file into JSON by walking its nodes, not by decoding it: 1.20, a date,
// and thirty digits stay what they are, yes and on are words, and keys keep their order. Only what
// JSON can represent is accepted: one document of plain mappings, sequences and scalars. Merge keys are
// expanded. Another value is left out, with a warning; it is a fault in the fields of which no part may be left out.
func YAML(file string, data []byte, undivided []string) (Document, *Fault) {
	d := Document{File: file, line: func(offset int) int { return lineAt(data, offset) }}
	last := lineAt(data, len(data)) // YAML sees line ends where no editor does
	refuse := func(line int, reason, hint string) (Document, *Fault) {
		return d, &Fault{File: file, Line: min(line, last), Reason: reason, Hint: hint}
	}
	if at := badText(data); at >= 0 {
		return refuse(lineAt(data, at), "is not valid YAML: a byte that is not UTF-8", "save it as UTF-8")
	}
	dec := yaml.NewDecoder(bytes.NewReader(withVersion(data)))
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
		line, reason := YAMLError(err)
		hint := ""
		if strings.Contains(reason, "cannot start any token") {
			hint = "indent with blanks, not with tabs, and quote what begins with a sign"
		}
		return refuse(line, "is not valid YAML: "+reason, hint)
	}
	w := yamlWalker{undivided: undivided}
	if fault := w.node(&root, 0); fault != nil {
		return refuse(fault.Line, fault.Reason, fault.Hint)
	}
	d.JSON, d.line = w.json, func(offset int) int { return min(w.line(offset), last) }
	for _, fault := range w.lost {
		fault.File, fault.Line = file, min(fault.Line, last)
		d.Lost = append(d.Lost, fault)
	}
	return d, nil
}

// withVersion returns YAML that names version 1.1 where it names another 1.x: the library refuses 1.2, by whose
// rules it is read.
func withVersion(data []byte) []byte {
	if at := yamlVersion.Get().FindSubmatchIndex(data); at != nil {
		data = slices.Concat(data[:at[2]], []byte("1"), data[at[3]:])
	}
	return data
}

// yamlVersion matches what is before the document, up to the minor version.
var yamlVersion = lazyregexp.New(`\A(?:\x{FEFF})?(?:[ \t]*(?:#[^\n]*)?\r?\n)*%YAML[ \t]+1\.([0-9]+)`)

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

// YAMLError extracts the line from the error text of the YAML library. Its parser (not its scanner)
// counts from 0, and omits the first line.
func YAMLError(err error) (line int, reason string) {
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
	json      []byte
	marks     []yamlMark // in the order of offsets
	path      []string   // of the value
	lost      []Fault    // the values that are left out
	merged    int        // keys of merges
	undivided []string   // the fields of which no part is left out
}

// part writes a member with its key, or an item, whose key is nil. It is left out if it cannot be in JSON.
func (w *yamlWalker) part(name string, key, n *yaml.Node, depth int) *Fault {
	start, marks := len(w.json), len(w.marks)
	if before := w.json[start-1]; before != '[' && before != '{' {
		w.json = append(w.json, ',')
	}
	if key != nil {
		w.marks = append(w.marks, yamlMark{len(w.json), key.Line})
		if fault := w.string(key); fault != nil {
			return fault
		}
		w.json = append(w.json, ':')
	}
	w.path = append(w.path, name)
	fault := w.node(n, depth+1)
	if fault != nil && fault.Warning && !slices.Contains(w.undivided, w.path[0]) {
		if len(w.lost) == yamlLost {
			return yamlFault(n, fmt.Sprintf("has more than %d values that cannot be used", yamlLost),
				fault.Reason+": "+fault.Hint)
		}
		fault.Field = strings.Join(w.path, ".")
		w.json, w.marks, w.lost = w.json[:start], w.marks[:marks], append(w.lost, *fault)
		fault = nil
	}
	w.path = w.path[:len(w.path)-1]
	return fault
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
		if fault := w.part(strconv.Itoa(i), nil, item, depth); fault != nil {
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
	members, fault := w.members(nil, map[string]bool{}, n, depth)
	if fault != nil {
		return fault
	}
	w.json = append(w.json, '{')
	for i := 0; i < len(members); i += 2 {
		if fault := w.part(members[i].Value, members[i], members[i+1], depth); fault != nil {
			return fault
		}
	}
	w.json = append(w.json, '}')
	return nil
}

// members appends the keys and values of a mapping that are not in seen yet: its own, then those that it merges.
func (w *yamlWalker) members(list []*yaml.Node, seen map[string]bool, n *yaml.Node, depth int) ([]*yaml.Node, *Fault) {
	if depth > yamlDepth {
		return nil, yamlFault(n, "is nested too deep", fmt.Sprintf("use at most %d levels", yamlDepth))
	}
	var merges []*yaml.Node
	own := make(map[string]bool, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		switch {
		case key.Kind != yaml.ScalarNode:
			return nil, yamlFault(key, "a key must be a plain name", "")
		case own[key.Value]:
			return nil, yamlFault(key, fmt.Sprintf("the key %q is a duplicate", key.Value), "keep one of the two")
		case key.ShortTag() == "!!merge":
			merges = append(merges, n.Content[i+1])
		case !seen[key.Value]:
			list = append(list, key, n.Content[i+1])
		}
		own[key.Value] = true
	}
	maps.Copy(seen, own)
	slices.Reverse(merges) // the next one is the last
	for len(merges) > 0 {
		from := merges[len(merges)-1]
		merges = merges[:len(merges)-1]
		if from.Kind == yaml.AliasNode {
			from = from.Alias
		}
		if w.merged += 1 + len(from.Content)/2; w.merged > yamlMerge {
			return nil, yamlFault(from, "has too many merges (<<)", "write the fields out")
		}
		if from.Kind == yaml.SequenceNode {
			for _, item := range slices.Backward(from.Content) {
				merges = append(merges, item)
			}
			continue
		}
		if from.Kind != yaml.MappingNode {
			return nil, badValue(from, "a merge (<<) needs a mapping", "write <<: *name, where name is the anchor of one")
		}
		var fault *Fault
		if list, fault = w.members(list, seen, from, depth+1); fault != nil {
			return nil, fault
		}
	}
	return list, nil
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
	if value := json.Value(literal); value.IsValid() && value.Kind() == '0' && strings.TrimSpace(literal) == literal {
		w.json = append(w.json, literal...)
		return nil
	}
	base := 0
	if !strings.ContainsFunc(literal, func(r rune) bool { return r != '-' && (r < '0' || r > '9') }) {
		base = 10 // 012 is 12, as in YAML 1.2
	}
	if i, ok := new(big.Int).SetString(strings.ReplaceAll(literal, "_", ""), base); ok {
		w.json = i.Append(w.json, 10)
		return nil
	}
	var f float64
	if err := n.Decode(&f); err != nil || f != f || f-f != 0 { // NaN, or infinite
		return badValue(n, Printable(n.Value)+" is not a number in JSON", "put it in quotes to make it a string")
	}
	w.json = json.AppendFloat(w.json, f, 64)
	return nil
}

func (w *yamlWalker) string(n *yaml.Node) *Fault {
	var err error
	if w.json, err = json.AppendQuote(w.json, n.Value); err != nil {
		return yamlFault(n, "is not valid UTF-8", "")
	}
	return nil
}

// badValue is a fault that costs its value only.
func badValue(at *yaml.Node, reason, hint string) *Fault {
	return &Fault{Line: at.Line, Reason: reason, Hint: hint, Warning: true}
}

func badTag(n *yaml.Node) *Fault {
	return badValue(n, "the tag "+Printable(n.Tag)+" is not supported", "remove it")
}
