package catalog

import (
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/internal/process"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

// A Tool is a script with its metadata. It is shared by all callers, who must not change it. A tool of a
// [Project] has Settings.
type Tool struct {
	Described

	// What a client sees besides, as JSON on one line, otherwise as the author wrote it; nil when absent.
	InputSchema  json.Value // never nil, its root has "type":"object" (T-01, T-16)
	OutputSchema json.Value // an object
	Annotations  json.Value // an object

	// What is run.
	Path string // the script, or the program that argv names by its path, absolute; empty where Program is not
	Dir  string // its folder, absolute
	*Settings

	// By the annotations readOnlyHint and openWorldHint, where that is false; also if one of the annotations
	// is invalid, so that its sandbox is the strictest.
	ReadOnly, ClosedWorld bool
}

// Settings are what metadata may say about how a tool runs. Most says nothing, so tools without
// settings share one zero value.
type Settings struct {
	Program string // that is looked up on the PATH of the tool; empty where there is a path
	Alone   bool   // there is only metadata: argv names what is run, no script stands beside it
	Cwd     string // where it runs, absolute and below the root as it is written; empty for the root
	Env     map[string]string
	CommandLine

	// What it may access, and who may call it.
	Sandbox        *Sandbox // nil when it says nothing
	RequiredScopes []string // of the caller's token, where callers have tokens

	// Its limits. Absent ones are nil, 0 or empty, and leave it to the defaults.
	Timeout                *time.Duration // timeoutSecs; 0 for none
	MaxTimeout             *time.Duration // maxTimeoutSecs, of extensions by progress; 0 for none
	TimeoutHint            string
	ProgressExtendsTimeout *bool
	MaxOutputBytes         int64
	Concurrency            int // calls at the same time
	Limits                 process.Limits
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

// toolFields are the fields of a tool.
var toolFields = sync.OnceValue(func() fields[Tool] {
	return slices.Concat(
		fields[Tool]{named(`"type":"string","pattern":"^[A-Za-z0-9_.-]{1,128}$"`, (*Tool).described,
			func(r *record) string { return r.toolName(r.c.name) })},
		of(describedFields, (*Tool).described),
		fields[Tool]{
			filePath("string; the script", func(t *Tool) string {
				if t.Alone {
					return ""
				}
				return t.Path
			}),
			raw(row{name: "inputSchema", older: "arguments",
				is:     "object schema of the arguments; checked before the script starts",
				absent: "any object", shown: true}, func(t *Tool) *json.Value { return &t.InputSchema },
				func(r *record, _ *Tool) json.Value { return r.inputSchema() }),
			raw(row{name: "outputSchema", is: "schema of the output; checked after the script has ended", absent: "none",
				shown: true},
				func(t *Tool) *json.Value { return &t.OutputSchema },
				func(r *record, _ *Tool) json.Value { return r.outputSchema() }),
			raw(row{name: "annotations", absent: "none", shown: true,
				is: "object of `title`, `readOnlyHint`, `destructiveHint`, `idempotentHint`, `openWorldHint`",
				schema: `"type":"object","properties":{"title":{"type":"string"},"readOnlyHint":{"type":"boolean"},` +
					`"destructiveHint":{"type":"boolean"},"idempotentHint":{"type":"boolean"},"openWorldHint":{"type":"boolean"}}`},
				func(t *Tool) *json.Value { return &t.Annotations },
				func(r *record, t *Tool) json.Value { return r.toolAnnotations(t) }),
		},
		of(settingsFields, func(t *Tool) *Settings { return t.Settings }),
	)
})

// settingsFields are those of its settings.
var settingsFields = fields[Settings]{
	seconds(row{name: "timeoutSecs", strict: true, absent: "the server's",
		is: "seconds until a call is ended; 0: no limit: [examples/04-timeouts](../examples/04-timeouts)"},
		func(s *Settings) **time.Duration { return &s.Timeout }),
	seconds(row{name: "maxTimeoutSecs", strict: true, absent: "the server's",
		is: "the same for a call that progress extends"},
		func(s *Settings) **time.Duration { return &s.MaxTimeout }),
	text(row{name: "timeoutHint", is: "string that is added to the result of a call that times out", absent: "none"},
		func(s *Settings) *string { return &s.TimeoutHint }),
	{row{name: "progressExtendsTimeout", strict: true, absent: "the server's", schema: `"type":"boolean"`,
		is: "boolean: progress restarts `timeoutSecs`, up to `maxTimeoutSecs`"},
		func(r *record, s *Settings) { s.ProgressExtendsTimeout = r.flag("progressExtendsTimeout") },
		nil},
	whole(row{name: "maxOutputBytes", strict: true, absent: "the server's (`MCPBASH_MAX_TOOL_OUTPUT_SIZE`)",
		is: "whole number: how much of stdout is kept"}, 1<<50, func(s *Settings) *int64 { return &s.MaxOutputBytes }),
	whole(row{name: "concurrency", strict: true, absent: "no limit",
		is: "whole number: how many calls of this tool may run at once"}, 1<<20,
		func(s *Settings) *int { return &s.Concurrency }),
	{row{name: "limits", strict: true, is: "what it and everything that it starts may use: [below](#limits)",
		absent: "the server's",
		schema: limitsSchema()},
		func(r *record, s *Settings) { s.Limits = r.limits() }, nil},
	word(row{name: "taskSupport",
		is:     "`required`, `optional` or `forbidden`: whether calls continue as [tasks](REVISIONS.md#tasks), and how soon",
		absent: "none: those that take longer than `MCPBASH_TASK_AFTER_SECS` do"},
		func(s *Settings) *mcp.TaskSupport { return &s.TaskSupport },
		string(mcp.TaskOptional), string(mcp.TaskRequired), string(mcp.TaskForbidden)),
	{row{name: "env", is: "object of strings: additional environment variables", absent: "none",
		schema: `"type":"object","additionalProperties":{"type":"string"}`},
		func(r *record, s *Settings) { s.Env = r.env() }, nil},
	{row{name: "cwd", is: "folder in the project that it runs in", absent: "the project", schema: `"type":"string"`},
		func(r *record, s *Settings) { s.Cwd = r.cwd(r.p.root) }, nil},
	{row: row{name: "argv", is: "array of words, its command line: [below](#a-command-line)", absent: "none",
		schema: `"type":"array","items":{"type":["string","array"],"items":{"type":"string"}}`}}, // read after them all
	{row: row{name: "stdin", is: "string, its standard input, in the same notation", absent: "none",
		schema: `"type":"string"`}},
	{row{name: "sandbox", is: "`auto`, `none`, or an object of `read`, `write`, `network`: [SANDBOX.md](SANDBOX.md)",
		absent: "none", schema: `"anyOf":[{"enum":["auto","none"]},{"type":"object","properties":{` +
			`"read":{"type":"array","items":{"type":"string"}},"write":{"type":"array","items":{"type":"string"}},` +
			`"network":{"type":"boolean"}},"additionalProperties":false}]`},
		func(r *record, s *Settings) { s.Sandbox = r.sandbox() }, nil},
	{row{name: "requiredScopes", strict: true, shown: true, absent: "none",
		is: "array of scopes: [over HTTP](REMOTE.md#configuration-to-copy) only callers whose tokens have all of them " +
			"see and call it",
		schema: scopesSchema},
		func(r *record, s *Settings) { s.RequiredScopes = r.scopes() }, nil},
}

const scopesSchema = `"type":"array","items":{"type":"string","minLength":1}`

func (p *Project) readTool(c candidate, m metadata) Entry {
	if _, command := m.get("argv"); c.alone && m.file != "" && !command {
		if !c.registered { // then its path is missing
			m.add(noScript(p.Rel(m.file)))
		}
		return nil
	}
	if old, ok := m.get("prestart"); ok {
		m.warn(old, "has no effect any more: each call starts its own shell", "remove it")
	}
	s := Settings{Alone: c.alone}
	t := &Tool{Described: m.described(), Path: c.path, Dir: filepath.Dir(c.path), Settings: &s}
	toolFields().read(p, c, m, t)
	var program string
	if s.CommandLine, program = m.commandLine(c.alone, t.InputSchema); c.alone {
		t.Path, s.Program = m.argvProgram(program, p.root)
	}
	if c.ui {
		if ui := p.interfaceIn(filepath.Join(t.Dir, "ui"), filepath.Base(t.Dir), m.reading); ui != nil {
			ui.UI.of(t)
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
		o.add(Fault{File: o.doc.File, Field: "name",
			Reason: "its file name is not a valid name for a tool",
			Hint:   "rename it, or give it a name in metadata: " + nameRule})
	case m.Value.Kind() == '"' && !validName(name):
		o.refuse(m, "is not a name for a tool", nameRule)
	case written && name != fallback:
		return name
	}
	return fallback // also where it is the same: it is a part of the path, which is kept anyway
}

const nameRule = "use 1 to 128 of A-Z a-z 0-9 _ . -"

const letters, digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", "0123456789"

func validName(name string) bool {
	return len(name) >= 1 && len(name) <= 128 && strings.Trim(name, letters+digits+"_.-") == ""
}

// env reads the additional variables of a tool.
func (o object) env() map[string]string {
	vars := o.object("env")
	if len(vars.members) == 0 {
		return nil
	}
	env := make(map[string]string, len(vars.members))
	for _, m := range vars.members {
		if _, ok := vars.get(m.Name); !ok {
			continue
		}
		value := vars.text(m.Name)
		switch {
		case !validVariable(m.Name):
			vars.refuse(m, "is not a name for a variable", "use letters, digits and _, and no digit first")
		case strings.ContainsRune(value, 0):
			vars.refuse(m, "contains U+0000, which no variable can", "")
		}
		env[m.Name] = value
	}
	return env
}

func validVariable(name string) bool {
	return name != "" && strings.Trim(name, letters+digits+"_") == "" && strings.ContainsAny(name[:1], letters+"_")
}

// cwd reads the folder that a tool runs in: relative to the root, and within it.
func (o object) cwd(root string) string {
	m, ok := o.typed("cwd", '"')
	if !ok {
		return ""
	}
	folder := filepath.FromSlash(json.Text(m.Value))
	if !filepath.IsLocal(folder) || strings.ContainsRune(folder, 0) {
		o.refuse(m, "must be a folder in the project", `write it relative to the project's root, as in "data"`)
		return ""
	}
	return filepath.Join(root, folder)
}

// scopes reads what the token of a caller must have.
func (o object) scopes() (all []string) {
	m, ok := o.typed("requiredScopes", '[')
	if !ok {
		return nil
	}
	for _, element := range o.elements(m) {
		scope := json.Text(element.Value)
		if element.Value.Kind() != '"' || scope == "" || strings.ContainsAny(scope, " \t\r\n\"\\") {
			o.refuse(m, "must be an array of scopes, each as it is in tokens", `write them as in ["deploy", "logs:read"]`)
		}
		all = append(all, scope)
	}
	return all
}

// toolAnnotations reads the hints of a tool; a hint of a wrong type would make clients refuse the
// list.
func (o object) toolAnnotations(t *Tool) json.Value {
	hints := o.object("annotations")
	hints.text("title")
	readOnly, openWorld := hints.flag("readOnlyHint"), hints.flag("openWorldHint")
	hints.flag("destructiveHint")
	hints.flag("idempotentHint")
	hints.warnMisspelled("title", "readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
	strictest := o.hintsLost() // the operator may run the tool in the sandbox for them
	t.ReadOnly, t.ClosedWorld = strictest || readOnly != nil && *readOnly, strictest || openWorld != nil && !*openWorld
	return o.json("annotations")
}
