package wrap

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
	"github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// Pins are the definitions of a server's tools, prompts and resources as they were first seen, kept in a file. What is
// defined otherwise later, or is new after the first whole list, is withheld until somebody accepts it. Several servers
// may use the file at once.
type Pins struct {
	path string
	log  *slog.Logger

	mu    sync.Mutex
	stamp files.Stamp // of the file when it was read
	kept  kept
}

// kept is what the file has.
type kept struct {
	Pinned   definitions     `json:"pinned"`
	Complete map[string]bool `json:"complete"` // the kinds of which a whole list was seen
	Withheld definitions     `json:"withheld"`
}

// definitions are canonical JSON, by kind, as the member of the list is called, and name.
type definitions map[string]map[string]json.Value

func (d definitions) put(kind, name string, definition json.Value) {
	if d[kind] == nil {
		d[kind] = make(map[string]json.Value)
	}
	d[kind][name] = definition
}

// OpenPins returns the pins in a file, which is made if there is none.
func OpenPins(path string, log *slog.Logger) (*Pins, error) {
	p, err := ReadPins(path)
	if errors.Is(err, fs.ErrNotExist) {
		p = &Pins{path: path}
		p.kept.fill()
		err = p.save()
	}
	if err != nil {
		return nil, err
	}
	p.log = log
	return p, nil
}

// ReadPins returns the pins in a file, to accept what is withheld.
func ReadPins(path string) (*Pins, error) {
	p := &Pins{path: path}
	return p, p.load()
}

// maxPins is the maximum size of a file of pins.
const maxPins = 64 << 20

// load reads the file, unless it is unchanged. p.mu is held, or nobody else knows p.
func (p *Pins) load() error {
	stamp, err := files.StampOf(p.path)
	if err == nil && p.stamp.Same(stamp) {
		return nil
	}
	text, err := files.Read(p.path, maxPins)
	if err != nil {
		return err
	}
	var k kept
	if err := json.Unmarshal(text, &k, json.RejectUnknownMembers(true)); err != nil {
		return fmt.Errorf("%s: %w", p.path, whereIn(text, err))
	}
	k.fill()
	for _, d := range []definitions{k.Pinned, k.Withheld} {
		for _, named := range d {
			for name, definition := range named {
				if err := definition.Canonicalize(); err != nil {
					return fmt.Errorf("%s: %s: %w", p.path, name, err)
				}
				named[name] = definition
			}
		}
	}
	p.kept, p.stamp = k, stamp
	return nil
}

func (k *kept) fill() {
	for _, d := range []*definitions{&k.Pinned, &k.Withheld} {
		if *d == nil {
			*d = make(definitions)
		}
	}
	if k.Complete == nil {
		k.Complete = make(map[string]bool)
	}
}

// whereIn returns the error of a text that is not pins, with its line.
func whereIn(text []byte, err error) error {
	if len(bytes.TrimSpace(text)) == 0 {
		return errors.New("is empty; delete it to pin anew")
	}
	offset, reason := int64(-1), err
	if syntax, ok := errors.AsType[*json.SyntacticError](err); ok {
		offset, reason = syntax.ByteOffset, syntax.Err
	} else if wrong, ok := errors.AsType[*json.SemanticError](err); ok {
		offset, reason = wrong.ByteOffset, fmt.Errorf("%s is not what mcp-bash writes", wrong.JSONPointer)
	}
	if offset < 0 || offset > int64(len(text)) {
		return reason
	}
	return fmt.Errorf("line %d: %w", 1+bytes.Count(text[:offset], []byte("\n")), reason)
}

// save writes the file.
func (p *Pins) save() error {
	text, err := json.Marshal(p.kept, json.Deterministic(true), json.WithIndent("  "))
	if err != nil {
		return err
	}
	if err := files.Rewrite(p.path, append(text, '\n'), 0o600); err != nil {
		return err
	}
	p.stamp, err = files.StampOf(p.path)
	return err
}

// Stage returns the stage that withholds.
func (p *Pins) Stage() pipeline.Middleware {
	return rule{kinds: kinds, use: p.use, show: p.show}.stage("pin")
}

func (p *Pins) use(k kind, name string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.load(); err != nil {
		return p.unusable(err)
	}
	_, pinned := p.kept.Pinned[k.member][name]
	_, withheld := p.kept.Withheld[k.member][name]
	switch {
	case withheld && pinned:
		return pipeline.Errorf(jsonrpc2.CodeInvalidParams, "%s %s is withheld: its definition has changed. "+
			"The log of mcp-bash wrap says how its user can accept it", k.noun, name)
	case withheld, !pinned && p.kept.Complete[k.member] && !k.grows:
		return pipeline.Errorf(jsonrpc2.CodeInvalidParams, "Unknown %s: %s", k.noun, name)
	}
	return nil
}

func (p *Pins) show(k kind, page []json.Value, last bool) (shown []json.Value, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.load(); err != nil {
		return nil, p.unusable(err)
	}
	changed := false
	for _, item := range page {
		found, _ := json.Find(item, k.key)
		name := json.Text(found.Value)
		definition, err := k.definition(item)
		if err != nil {
			p.log.Warn("withheld, as its definition cannot be pinned", "kind", k.noun, "name", name, "error", err)
			continue
		}
		pinned, known := p.kept.Pinned[k.member][name]
		withheld, before := p.kept.Withheld[k.member][name]
		switch {
		case bytes.Equal(pinned, definition):
			delete(p.kept.Withheld[k.member], name)
			changed = changed || before
		case !known && (k.grows || !p.kept.Complete[k.member]):
			p.kept.Pinned.put(k.member, name, definition)
			changed = true
		default:
			if !bytes.Equal(withheld, definition) {
				p.kept.Withheld.put(k.member, name, definition)
				changed = true
			}
			p.log.Warn("withheld, as its definition is not the pinned one; to see the difference and accept it: "+
				"mcp-bash wrap --accept "+p.path, "kind", k.noun, "name", name)
			continue
		}
		shown = append(shown, item)
	}
	if last && !p.kept.Complete[k.member] {
		p.kept.Complete[k.member], changed = true, true
	}
	if changed {
		if err := p.save(); err != nil {
			return nil, p.unusable(err)
		}
	}
	return shown, nil
}

// unusable is the error for a client while the file cannot be used.
func (p *Pins) unusable(err error) error {
	p.log.Error("nothing is shown, as the pins cannot be used", "file", p.path, "error", err)
	return fmt.Errorf("%w: the pins of mcp-bash wrap cannot be used", pipeline.ErrInternal)
}

// definition returns what is pinned of an item of a list, as canonical JSON: all of it, but of a resource not what
// changes with its contents.
func (k kind) definition(item json.Value) (json.Value, error) {
	if twice := json.Ambiguous(item, k.key); twice != "" {
		return nil, fmt.Errorf("two spellings of %q", twice)
	}
	if k.grows {
		item = json.Edit(item, func(m json.Member) json.Value {
			switch m.Name {
			case "size":
				return nil
			case "annotations":
				return json.Edit(m.Value, func(m json.Member) json.Value {
					if m.Name == "lastModified" {
						return nil
					}
					return m.Value
				})
			}
			return m.Value
		})
	}
	v := json.Value(item).Clone()
	return v, v.Canonicalize()
}

// A Change is a definition that is withheld.
type Change struct {
	Kind, Name    string
	Before, After string // Before is empty for a new one

	member     string
	definition json.Value
}

// Changes returns what is withheld under these names, or everything if there are none.
func (p *Pins) Changes(names []string) (all []Change, err error) {
	found := make(map[string]bool)
	for _, k := range kinds {
		withheld := p.kept.Withheld[k.member]
		for _, name := range slices.Sorted(maps.Keys(withheld)) {
			if len(names) == 0 || slices.Contains(names, name) {
				found[name] = true
				all = append(all, Change{k.noun, name, lines(p.kept.Pinned[k.member][name]), lines(withheld[name]),
					k.member, withheld[name]})
			}
		}
	}
	for _, name := range names {
		if !found[name] {
			return nil, fmt.Errorf("nothing with the name %s is withheld in %s", name, p.path)
		}
	}
	return all, nil
}

// lines returns a definition as it is shown, one member a line.
func lines(definition json.Value) string {
	if definition == nil {
		return ""
	}
	v := definition.Clone()
	_ = v.Indent(json.WithIndent("  "))
	return strings.TrimSpace(string(v)) + "\n"
}

// Accept pins what was withheld, as it is in these changes, whatever has happened to the file since.
func (p *Pins) Accept(changes []Change) error {
	if err := p.load(); err != nil {
		return err
	}
	for _, c := range changes {
		p.kept.Pinned.put(c.member, c.Name, c.definition)
		if bytes.Equal(p.kept.Withheld[c.member][c.Name], c.definition) {
			delete(p.kept.Withheld[c.member], c.Name)
		}
	}
	return p.save()
}
