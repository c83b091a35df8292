package project

import (
	"path/filepath"
	"reflect"
	"strings"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/jsonv2/jsontext"
	"github.com/mcp-bash/mcp-bash/v2/internal/script"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

// A Tool is a script with its metadata. It is shared by all callers, who must not change it. A tool of a
// [Project] has Settings.
type Tool struct {
	// What a client sees. JSON is on one line, otherwise as the author wrote it; nil when absent.
	Name         string // 1 to 128 of A-Z a-z 0-9 _ . - (T-13)
	Title        string
	Description  string
	InputSchema  jsontext.Value // never nil, its root has "type":"object" (T-01, T-16)
	OutputSchema jsontext.Value // an object
	Annotations  jsontext.Value // an object
	Icons        jsontext.Value // an array; files in the project have become data: URIs
	Meta         jsontext.Value // the object _meta

	// What is run.
	Path string // the script, or the program that argv names by its path, absolute; empty where Program is not
	Dir  string // its folder, absolute
	*Settings

	// By the annotations readOnlyHint and openWorldHint, where that is false; also if one of the annotations
	// is invalid, so that its sandbox is the strictest.
	ReadOnly, ClosedWorld bool

	// Where it was described.
	MetadataFile string         // absolute; the script if it is inline, empty for none
	Metadata     jsontext.Value // the object as written, on one line; nil for none
}

// Settings are what metadata may say about how a tool runs. Most says nothing, so tools without
// settings share one zero value.
type Settings struct {
	Program string // that is looked up on the PATH of the tool; empty where there is a path
	Alone   bool   // there is only metadata: argv names what is run, there is no script beside it
	Cwd     string // where it runs, absolute and below the root as it is written; empty for the root
	Env     map[string]string
	CommandLine

	// What it may access.
	Sandbox *Sandbox // nil when it says nothing

	// Its limits. Absent ones are nil, 0 or empty, and leave it to the defaults.
	Timeout                *time.Duration // timeoutSecs; 0 for none
	MaxTimeout             *time.Duration // maxTimeoutSecs, of extensions by progress; 0 for none
	TimeoutHint            string
	ProgressExtendsTimeout *bool
	MaxOutputBytes         int64
	Concurrency            int // calls at the same time
	Limits                 script.Limits
	TaskSupport            mcp.TaskSupport

	UI *Resource // the user interface in the folder ui/ beside it; nil for none
}

var noSettings Settings

// shared returns the settings to keep: those of all tools without any, or a copy.
func (s Settings) shared() *Settings {
	if reflect.ValueOf(&s).Elem().IsZero() {
		return &noSettings
	}
	own := s
	return &own
}

// toolFields are the fields that metadata of a tool may have.
var toolFields = []string{
	"name", "title", "description", "inputSchema", "arguments", "outputSchema", "annotations", "icons", "_meta",
	"timeoutSecs", "timeoutHint", "maxTimeoutSecs", "progressExtendsTimeout", "maxOutputBytes", "concurrency",
	"limits", "taskSupport", "env", "cwd", "sandbox", "argv", "stdin",
}

func (p *Project) readTool(c candidate, m metadata) Entry {
	o := m.object
	if _, command := o.get("argv"); c.alone && m.file != "" && !command {
		if !c.registered { // then its path is missing
			o.add(noScript(p.Rel(m.file)))
		}
		return nil
	}
	o.lints = p.lints
	o.warnMisspelled(toolFields...)
	if m, ok := o.get("prestart"); ok {
		o.warn(m, "has no effect any more: each call starts its own shell", "remove it")
	}
	t := &Tool{
		Name:         o.toolName(c.name),
		Title:        o.text("title"),
		Description:  o.text("description"),
		InputSchema:  o.inputSchema(p.checkSchema),
		OutputSchema: o.outputSchema(p.checkSchema),
		Annotations:  o.toolAnnotations(),
		Meta:         o.json("_meta", '{'),
		Path:         c.path,
		Dir:          filepath.Dir(c.path),
		MetadataFile: m.file,
		Metadata:     m.raw,
	}
	strict := o.strictly()
	s := Settings{
		Alone:                  c.alone,
		Cwd:                    o.cwd(p.root),
		Env:                    o.env(),
		Timeout:                strict.seconds("timeoutSecs"),
		MaxTimeout:             strict.seconds("maxTimeoutSecs"),
		TimeoutHint:            o.text("timeoutHint"),
		ProgressExtendsTimeout: strict.flag("progressExtendsTimeout"),
		MaxOutputBytes:         strict.count("maxOutputBytes", 1<<50),
		Concurrency:            int(strict.count("concurrency", 1<<20)),
		Limits:                 strict.limits(),
		TaskSupport:            o.taskSupport(),
		Sandbox:                o.sandbox(),
	}
	var program string
	if s.CommandLine, program = o.commandLine(c.alone, t.InputSchema); c.alone {
		t.Path, s.Program = o.argvProgram(program, p.root)
	}
	hints := o.object("annotations")
	readOnly, openWorld := hints.flag("readOnlyHint"), hints.flag("openWorldHint")
	strictest := o.hintsLost() // the operator may run the tool in the sandbox for them
	t.ReadOnly, t.ClosedWorld = strictest || readOnly != nil && *readOnly, strictest || openWorld != nil && !*openWorld
	t.Icons = o.icons(p.root, t.Dir)
	if c.ui {
		if ui := p.interfaceIn(filepath.Join(t.Dir, "ui"), filepath.Base(t.Dir), o.reading); ui != nil {
			ui.UI.Tool = t.Name
			s.UI, t.Meta = ui, withInterface(t.Meta, ui)
		}
	}
	t.Settings = s.shared()
	return t
}

// toolName reads the name, or returns the default one, and refuses an invalid name (T-13).
func (o object) toolName(fallback string) string {
	m, written := o.get("name")
	name := o.text("name")
	switch {
	case !written && !validName(fallback):
		o.add(Fault{File: o.doc.file, Field: "name",
			Reason: "its file name is not a valid name for a tool", Hint: "rename it, or give it a name in metadata: " + nameRule})
		return fallback
	case !written:
		return fallback
	case m.value.Kind() == '"' && !validName(name):
		o.refuse(m, "is not a name for a tool", nameRule)
		return fallback
	case name == fallback:
		return fallback // it is a part of the path, which is kept anyway
	}
	return name
}

const nameRule = "use 1 to 128 of A-Z a-z 0-9 _ . -"

func validName(name string) bool {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-"
	return len(name) >= 1 && len(name) <= 128 && strings.Trim(name, letters) == ""
}

// env reads the additional variables of a tool.
func (o object) env() map[string]string {
	vars := o.object("env")
	if len(vars.members) == 0 {
		return nil
	}
	env := make(map[string]string, len(vars.members))
	for _, m := range vars.members {
		if _, ok := vars.get(m.name); !ok {
			continue
		}
		value := vars.text(m.name)
		switch {
		case !validVariable(m.name):
			vars.refuse(m, "is not a name for a variable", "use letters, digits and _, and no digit first")
		case strings.ContainsRune(value, 0):
			vars.refuse(m, "contains U+0000, which no variable can", "")
		}
		env[m.name] = value
	}
	return env
}

func validVariable(name string) bool {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_"
	return name != "" && strings.Trim(name, letters+"0123456789") == "" && strings.ContainsAny(name[:1], letters)
}

// cwd reads the folder that a tool runs in: relative to the root, and within it.
func (o object) cwd(root string) string {
	m, ok := o.typed("cwd", '"')
	if !ok {
		return ""
	}
	folder := filepath.FromSlash(unquote(m.value))
	if !filepath.IsLocal(folder) || strings.ContainsRune(folder, 0) {
		o.refuse(m, "must be a folder in the project", `write it relative to the project's root, as in "data"`)
		return ""
	}
	return filepath.Join(root, folder)
}

func (*Tool) kind() kind { return kindTool }

func (t *Tool) key(by lookup) string {
	if by == byName {
		return t.Name
	}
	return ""
}

func (t *Tool) listed(b []byte) []byte {
	b = appendParts(b, t.Name, t.Title, t.Description)
	return appendParts(b, t.InputSchema, t.OutputSchema, t.Annotations, t.Icons, t.Meta)
}

// taskSupport reads whether calls can become tasks.
func (o object) taskSupport() mcp.TaskSupport {
	m, ok := o.typed("taskSupport", '"')
	if !ok {
		return ""
	}
	o.oneOf(m, string(mcp.TaskOptional), string(mcp.TaskRequired), string(mcp.TaskForbidden))
	return mcp.TaskSupport(unquote(m.value))
}
