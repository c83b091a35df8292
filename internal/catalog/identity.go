package catalog

import (
	"bytes"
	"cmp"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcp-bash/mcp-bash/v2/internal/document"
	"github.com/mcp-bash/mcp-bash/v2/internal/files"
	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

// An Identity describes the server, from the files in server.d/. Name, Title and Version are never
// empty; the rest may be.
type Identity struct {
	// Its name is else of Options, else that of the project's folder; its title else of Options, else the name, as a
	// title.
	Described
	Version    string // else of Options, else from VERSION, else from package.json, else 0.0.0
	WebsiteURL string

	LendsInterceptors bool   // others may use its interceptors
	Instructions      string // server.instructions.md, without blanks around it
}

const (
	unknownVersion    = "0.0.0"
	versionBytes      = 1 << 10
	instructionsBytes = 256 << 10
)

// serverFields are the fields of server.meta.json, with those that only bundles need.
var serverFields = fields[Identity]{
	text(row{name: "name", is: "string", absent: "`MCPBASH_SERVER_NAME`, else the name of the project's folder"},
		func(id *Identity) *string { return &id.Name }),
	text(row{name: "title", is: "string; for people", absent: "`MCPBASH_SERVER_TITLE`, else the name, as a title"},
		func(id *Identity) *string { return &id.Title }),
	text(row{name: "version", is: "string",
		absent: "`MCPBASH_SERVER_VERSION`, else that in `VERSION`, else in `package.json`, else `0.0.0`"},
		func(id *Identity) *string { return &id.Version }),
	text(row{name: "description", is: "string; for people, and for models", absent: "none"},
		func(id *Identity) *string { return &id.Description }),
	text(row{name: "websiteUrl", is: "URL", absent: "none"}, func(id *Identity) *string { return &id.WebsiteURL }),
	raw(row{name: "icons", is: "as of all kinds", absent: "none", schema: iconsSchema},
		func(id *Identity) *json.Value { return &id.Icons },
		func(r *record, _ *Identity) json.Value { return r.icons(r.p.root, r.p.serverDir, r.p.root) }),
	{row{name: "interceptors", is: "object of `serve` (false): other hosts may list and use the project's interceptors",
		absent: "those of a project that has nothing else may be used",
		schema: `"type":"object","properties":{"serve":{"type":"boolean"}}`},
		func(r *record, id *Identity) {
			given := r.object.object("interceptors")
			given.warnMisspelled("serve")
			serve := given.flag("serve")
			id.LendsInterceptors = serve != nil && *serve
		}, nil},
	bundled("author", `"type":["string","object"],"required":["name"],"properties":{"name":{"type":"string"},`+
		`"email":{"type":"string"},"url":{"type":"string"}}`),
	bundled("repository",
		`"type":["string","object"],"required":["url"],"properties":{"type":{"type":"string"},"url":{"type":"string"}}`),
	bundled("long_description_file", `"type":"string"`),
	bundled("screenshots", `"type":"array","items":{"type":"string"}`),
	bundled("user_config",
		`"type":"object","additionalProperties":{"type":"object","required":["type","title","description"],`+
			`"properties":{"type":{"enum":["string","number","boolean","directory","file"]},"title":{"type":"string"},`+
			`"description":{"type":"string"},"required":{"type":"boolean"},"multiple":{"type":"boolean"},`+
			`"sensitive":{"type":"boolean"},"min":{"type":"number"},"max":{"type":"number"}}}`),
	bundled("user_config_env_map", `"type":"object","additionalProperties":{"type":"string"}`),
	bundled("user_config_args_map", `"type":"array","items":{"type":"string"}`),
	bundled("platform_overrides", `"type":"object","additionalProperties":{"type":"object"}`),
	bundled("localization", `"type":"object"`), bundled("_meta", `"type":"object"`),
}

// bundled is a field that only bundles have.
func bundled(name, schema string) field[Identity] {
	return field[Identity]{row: row{name: name, schema: schema}}
}

// Identity reads the identity of the server, as the files are now. A faulty field counts as absent:
// there is always an identity.
func (p *Project) Identity() (Identity, []Fault) {
	found, _ := sidecarsIn(p.serverDir, "server")
	m := readMetadata(p.root, found)
	id := Identity{Described: Described{MetadataFile: m.file}}
	if m.doc != nil && !m.unparsed {
		m.untilStable(func() { serverFields.read(p, candidate{}, m, &id) })
		id.Metadata = m.raw
	}
	p.complete(&id, m.reading)
	text, _ := p.read(filepath.Join(p.serverDir, "server.instructions.md"), instructionsBytes, m.reading)
	id.Instructions = strings.TrimSpace(text)
	for i := range m.faults {
		m.faults[i].Warning = true // nothing is left out for them
	}
	sortFaults(m.faults)
	return id, m.faults
}

// Defaults returns the identity of a server without metadata: a name, a title and a version.
func (p *Project) Defaults() Identity {
	var id Identity
	p.complete(&id, new(reading))
	return id
}

// complete sets what metadata does not define.
func (p *Project) complete(id *Identity, r *reading) {
	id.Name = cmp.Or(id.Name, p.o.Named.Name, folderName(p.root))
	id.Title = cmp.Or(id.Title, p.o.Named.Title, titleOf(id.Name))
	if id.Version = cmp.Or(id.Version, p.o.Named.Version); id.Version == "" {
		id.Version = p.version(r)
	}
}

// serverName returns only the name of Identity, and the files that it depends on.
func (p *Project) serverName() (name string, deps []dep) {
	found, deps := sidecarsIn(p.serverDir, "server")
	m := readMetadata(p.root, found)
	if m.doc != nil && !m.unparsed {
		name = m.text("name")
	}
	return cmp.Or(name, p.o.Named.Name, folderName(p.root)), append(deps, m.deps...)
}

// version reads the version from the files in which other tools keep it.
func (p *Project) version(r *reading) string {
	if text, ok := p.read("VERSION", versionBytes, r); ok {
		line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
		if line = strings.TrimSpace(line); line != "" && !document.OddName(line) {
			return line
		}
		r.add(Fault{File: "VERSION", Reason: "has no version in its first line", Hint: "write one, as in 1.0.0"})
	}
	if text, ok := p.read("package.json", metadataBytes, r); ok {
		doc := document.JSON("package.json", []byte(text))
		o, fault := objectOf(&doc)
		if fault != nil {
			r.add(*fault)
		} else if version := o.text("version"); version != "" {
			return version
		}
		r.faults = append(r.faults, o.faults...)
	}
	return unknownVersion
}

// read returns the text of an optional file. Invalid UTF-8 in it is replaced.
func (p *Project) read(name string, limit int64, r *reading) (text string, ok bool) {
	path := below(p.root, name, "")
	at, err := files.StampOf(path)
	if files.IsMissing(err) || at.Mode.IsDir() {
		return "", false // a folder called VERSION is unrelated
	}
	note := func(reason, hint string) {
		r.add(Fault{File: p.Rel(path), Reason: reason, Hint: hint})
	}
	data, err := files.Read(path, limit)
	if err != nil {
		note(cause(err).Error(), "")
		return "", false
	}
	if !utf8.Valid(data) {
		note("is not valid UTF-8", "save it as UTF-8")
		data = bytes.ToValidUTF8(data, []byte("\uFFFD"))
	}
	return string(document.TrimBOM(data)), true
}

// folderName is the default name of a project.
func folderName(root string) string {
	name := filepath.Base(root)
	if name == string(filepath.Separator) || document.OddName(name) {
		return "server"
	}
	return name
}

// titleOf writes a name as a title: weather-report is Weather Report.
func titleOf(name string) string {
	words := strings.FieldsFunc(name, func(r rune) bool { return r == '-' || r == '_' || unicode.IsSpace(r) })
	for i, word := range words {
		first, size := utf8.DecodeRuneInString(word)
		words[i] = string(unicode.ToTitle(first)) + word[size:]
	}
	if len(words) == 0 {
		return name
	}
	return strings.Join(words, " ")
}
