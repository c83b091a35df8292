package catalog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/document"
	"github.com/mcp-bash/mcp-bash/v2/internal/files"
	"github.com/mcp-bash/mcp-bash/v2/internal/hooks"
	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

// ErrRegistration is the error of lists while server.d/register.json or register.sh is faulty: they
// define what is to be served, so nothing else is served in its place. The text contains the file
// and the line.
var ErrRegistration = errors.New("registration failed")

// A RegistrationError is an ErrRegistration with all its faults. Its text contains the first fault,
// and the number of others.
type RegistrationError struct {
	Faults []Fault // at least one
	cause  error   // nil if the faults describe everything
}

// failed returns the error for the faults of a registration, at least one of which is not a warning.
func failed(faults ...Fault) *RegistrationError {
	return &RegistrationError{Faults: slices.DeleteFunc(slices.Clone(faults), func(f Fault) bool { return f.Warning })}
}

func (e *RegistrationError) Error() string {
	if more := len(e.Faults) - 1; more > 0 {
		return fmt.Sprintf("%v: %v (and %d more)", ErrRegistration, e.Faults[0], more)
	}
	return fmt.Sprintf("%v: %v", ErrRegistration, e.Faults[0])
}

func (e *RegistrationError) Unwrap() []error {
	if e.cause == nil {
		return []error{ErrRegistration}
	}
	return []error{ErrRegistration, e.cause}
}

// registeredBatches builds the entries of the lists that are not nil.
func (p *Project) registeredBatches(lists [kindCount][]metadata) (all [kindCount]*batch) {
	for k, list := range lists {
		if list != nil {
			all[k] = p.registeredBatch(kind(k), list)
		}
	}
	return all
}

// registeredBatch builds the entries of one list, each of an object that describes it completely, including the path
// of its file. If one of them cannot be served, the list fails.
func (p *Project) registeredBatch(k kind, items []metadata) *batch {
	b := &batch{items: make([]*item, len(items))}
	folders := realPaths([]string{p.dirs[k], p.root})
	parallel(len(items), func(i int) { b.items[i] = p.registeredItem(k, items[i], folders) })
	var seen [lookups]map[string]bool
	for by := range seen {
		seen[by] = make(map[string]bool)
	}
	for i, it := range b.items {
		b.faults = append(b.faults, it.faults...)
		it.faults = nil // they belong to the batch now
		if it.entry == nil {
			continue
		}
		for by := range lookups {
			key := keyOf(it.entry, by)
			if key != "" && seen[by][key] {
				o, field := items[i].object, k.field(by)
				m, _ := o.get(field)
				b.faults = append(b.faults,
					o.doc.Fault(m.At, o.prefix+field, string(m.Value)+" is a duplicate", "keep one of the two"))
				it.entry = nil
				break
			}
			seen[by][key] = true
		}
	}
	if hasErrors(b.faults) {
		b.err = failed(b.faults...)
	}
	return b
}

// registrations returns what the arrays of an object register, nil for a missing array.
func (o object) registrations(file string) (all [kindCount][]metadata) {
	known := []string{"version"}
	for k := range all {
		known = append(known, kinds[k].key)
	}
	o.unknown(known, func(m json.Member) {
		o.refuse(m, "is not a known field",
			"use version, tools, resources, resourceTemplates, prompts, completions, interceptors or _meta")
	})
	o.typed("_meta", '{')
	for k := range all {
		if m, ok := o.typed(kinds[k].key, '['); ok {
			all[k] = o.registered(m, file)
		}
	}
	return all
}

// registered returns the objects in an array of a file.
func (o object) registered(m json.Member, file string) []metadata {
	all := []metadata{}
	for _, element := range document.Elements(m) {
		if o.is(element, '{') {
			all = append(all, metadata{object: o.inner(element), raw: element.Value, file: file})
		}
	}
	return all
}

// registeredItem builds the entry. All files that it is built from are in its deps. Its file must be in one
// of the folders, whose paths have no links.
func (p *Project) registeredItem(k kind, m metadata, folders []string) *item {
	m.reading = &reading{doc: m.doc, tolerant: true} // a new one each time
	_, named := m.get("name")
	it := &item{kind: k}
	it.entry = m.entry(func() Entry {
		it.candidate = p.registeredFile(k, m.object, folders)
		if !named || it.name == "" { // else the default name is used if the given one is invalid
			m.require("name", `write "name": "hello"`)
		}
		return kinds[k].read(p, it.candidate, m)
	})
	it.deps, it.faults = m.deps, m.faults
	return it
}

// registeredFile describes the file that a registration names.
func (p *Project) registeredFile(k kind, o object, folders []string) candidate {
	c := candidate{registered: true, alone: true, path: filepath.Join(p.dirs[k], "?"), file: &file{}}
	m, ok := o.typed("path", '"')
	if !ok {
		switch k {
		case kindTool:
			if _, command := o.get("argv"); !command {
				o.require("path", `write "path": "hello/tool.sh"`)
			}
		case kindPrompt:
			if _, inline := o.get("messages"); !inline {
				o.require("path", `write "path": "hello.md", or the "messages"`)
			}
		case kindCompleter:
			o.require("path", `write "path": "completions/city.sh"`)
		}
		return c
	}
	path := findFile(filepath.FromSlash(json.Text(m.Value)), []string{p.dirs[k], p.root})
	f, err := fileAt(path)
	o.dependsOn(dep{path, f.stamp})
	_, hasURI := o.get("uri")
	switch {
	case err != nil && k == kindResource && hasURI: // a provider serves it
		return c
	case err != nil:
		o.deny(m, "cannot be used: "+cause(err).Error(), "write it relative to "+rel(p.root, p.dirs[k])+"/ or to the project")
		return c
	case !withinReal(path, folders):
		o.deny(m, "is outside of the project", "put the file, or a small script, into the project")
		return c
	}
	c.path, c.file, c.alone, c.name = path, &f, false, defaultName(place{dir: filepath.Dir(path), depth: 1}, f.name)
	if k == kindTool {
		ui := depOf(filepath.Join(filepath.Dir(path), "ui"))
		if c.ui = ui.stamp.Mode.IsDir(); !c.ui {
			o.dependsOn(ui)
		}
	}
	return c
}

// DefaultRegistrationBytes is the default maximal size of a registration.
const DefaultRegistrationBytes = 1 << 20

// readRegisterJSON reads server.d/register.json: data only, strict, and first of all sources. If
// it cannot be read at all, every list fails.
func (p *Project) readRegisterJSON(before *records, _ ask) *records {
	if before.current() {
		return before
	}
	found, file := p.registering("register.json", hooks.Rules{Allowed: true}) // its author decides what is run
	if file == nil {
		return found
	}
	defer file.Close()
	name := p.Rel(found.from.path)
	data, err := file.Read(p.o.MaxRegistration)
	switch {
	case errors.Is(err, files.ErrTooLarge):
		found.fail(nil, Fault{File: name, Reason: fmt.Sprintf("is larger than %d bytes", p.o.MaxRegistration),
			Hint: "raise MCPBASH_MAX_MANUAL_REGISTRY_BYTES"})
	case err != nil:
		found.fail(cause(err), Fault{File: name, Reason: cause(err).Error()})
	default:
		p.parseRegisterJSON(found, data)
	}
	return found
}

// registering opens a file in server.d. It is nil if there is none that may be used, as found says.
func (p *Project) registering(name string, rules hooks.Rules) (found *records, file *hooks.Script) {
	path := filepath.Join(p.serverDir, name)
	found = &records{from: depOf(path)}
	file, err := rules.Open(p.root, path)
	switch {
	case err == nil, files.IsMissing(err):
	case errors.Is(err, hooks.ErrNotAllowed):
		p.warnOfHook.Do(func() { p.o.Logger.Warn(Fault{File: p.Rel(path), Reason: hooks.ErrNotAllowed.Error()}.String()) })
	default: // check again: the cause may be its folder
		found.from.stamp = unsure
		found.fail(err, Fault{File: p.Rel(path), Reason: err.Error()})
	}
	return found, file
}

// parseRegisterJSON reads the content of the file.
func (p *Project) parseRegisterJSON(to *records, data []byte) {
	name := p.Rel(to.from.path)
	if !bytes.Equal(document.TrimBOM(data), data) {
		to.fail(nil, Fault{File: name, Line: 1, Reason: "begins with a byte order mark",
			Hint: "save it as UTF-8 without one"})
		return
	}
	doc := document.JSON(name, data)
	o, fault := objectOf(&doc)
	if fault != nil {
		to.fail(nil, *fault)
		return
	}
	o.require("version", `write "version": 1`)
	if version, ok := o.get("version"); ok && string(version.Value) != "1" {
		o.refuse(version, "must be 1", `write "version": 1`)
	}
	lists := o.registrations(to.from.path)
	if len(o.faults) > 0 {
		to.fail(nil, o.faults...)
		return
	}
	to.batches = p.registeredBatches(lists)
}

const (
	hookTimeout = 10 * time.Second // for the script to end
	hookTTL     = 5 * time.Second  // for which its output, or its failure, is valid after it ended
)

// runRegisterSH runs server.d/register.sh, if it exists and is allowed to run, and reads its output.
// That is reused for a while, and however old it is for an idle ask. Faults in it are errors of its
// lists, as for register.json.
func (p *Project) runRegisterSH(before *records, a ask) *records {
	if before != nil && before.from.current() && (a.idle || !before.expired()) {
		if before.entriesCurrent() {
			return before
		}
		return p.parseOutput(&records{from: before.from, ran: before.ran, output: before.output})
	}
	now, hook := p.registering("register.sh", p.o.Hook.Rules)
	if hook == nil {
		return now
	}
	defer hook.Close()
	output, err := p.outputOf(hook)
	now.ran = time.Now()
	if err != nil {
		now.fail(err, Fault{File: p.Rel(now.from.path), Reason: err.Error()})
		return now
	}
	now.output = output
	if before != nil && before.output != nil && bytes.Equal(before.output, output) && before.entriesCurrent() {
		now.batches = before.batches
		return now
	}
	return p.parseOutput(now)
}

// prelude defines the helpers of the script: each writes its argument to the server, between zero
// bytes, which JSON never contains, with its list and the line of the call. The other names are
// those of older scripts.
const prelude = `exec 3>&1
_mcp_register() { printf '\0%s\0%s\0%s\0' "$1" "${BASH_LINENO[1]}" "$2" >&3; }
for _mcp in tool/tools/tools resource/resources/resources resource_template/resourceTemplates/resources_templates \
	template/resourceTemplates/templates prompt/prompts/prompts completion/completions/completion; do
	_mcp_list=${_mcp#*/} _mcp_older=${_mcp##*/}
	_mcp_list=${_mcp_list%/*}
	eval "mcp_register_${_mcp%%/*}() { _mcp_register $_mcp_list \"\${1-}\"; }
		mcp_${_mcp_older}_manual_begin() { _mcp_register $_mcp_list '[]'; }
		mcp_${_mcp_older}_register_manual() { _mcp_register $_mcp_list \"\${1-}\"; }
		mcp_${_mcp_older}_manual_finalize() { :; }"
done
. "$1"`

// outputOf runs the script. Its variables name the folders of the project, as in the Bash program.
func (p *Project) outputOf(hook *hooks.Script) ([]byte, error) {
	result := p.o.Hook.Run(context.Background(), hook, hooks.Program{Text: prelude, Limit: hookTimeout,
		Head: int(p.o.MaxRegistration), Env: []string{
			"MCPBASH_PROJECT_ROOT=" + p.root,
			"MCPBASH_SERVER_DIR=" + p.serverDir,
			"MCPBASH_TOOLS_DIR=" + p.dirs[kindTool],
			"MCPBASH_RESOURCES_DIR=" + p.dirs[kindResource],
			"MCPBASH_PROMPTS_DIR=" + p.dirs[kindPrompt],
		}})
	if err := result.Failure(); err != nil {
		return nil, err
	}
	if result.Truncated {
		return nil, fmt.Errorf("wrote more than %d bytes; raise MCPBASH_MAX_MANUAL_REGISTRY_BYTES", p.o.MaxRegistration)
	}
	return append([]byte{}, result.Stdout...), nil
}

// parseOutput reads the output of the script: the arguments of its helpers, and an object on stdout
// like that of register.json.
func (p *Project) parseOutput(now *records) *records {
	var faults []Fault
	open := func(doc document.Document) object {
		o, fault := objectOf(&doc)
		if fault != nil {
			faults = append(faults, *fault)
		}
		return o
	}
	var lists [kindCount][]metadata
	var text []byte
	name, parts := p.Rel(now.from.path), bytes.Split(now.output, []byte{0})
	for i := 0; i+3 < len(parts); i += 4 {
		text = append(text, parts[i]...)
		k := slices.IndexFunc(kinds[:], func(k kindRow) bool { return k.key == string(parts[i+1]) })
		if k < 0 {
			faults = append(faults, Fault{File: name, Reason: "wrote a zero byte to stdout", Hint: "write JSON, or nothing"})
			break
		}
		line, _ := strconv.Atoi(string(parts[i+2]))
		if given := parts[i+3]; string(given) == "[]" {
			lists[k] = append([]metadata{}, lists[k]...)
		} else {
			doc := document.Inline(name, given, line)
			lists[k] = append(lists[k], metadata{object: open(doc), raw: doc.JSON, file: now.from.path})
		}
	}
	if text = append(text, parts[len(parts)-1]...); len(bytes.TrimSpace(text)) > 0 {
		o := open(document.JSON(name+" (output)", text))
		for k, list := range o.registrations(now.from.path) {
			if list != nil {
				lists[k] = append(list, lists[k]...)
			}
		}
		faults = append(faults, o.faults...)
	}
	if len(faults) > 0 {
		now.fail(nil, faults...)
		return now
	}
	now.batches = p.registeredBatches(lists)
	return now
}
