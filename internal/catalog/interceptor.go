package catalog

import (
	"encoding/json"
	"sync"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/interceptor"
	ourjson "github.com/mcp-bash/mcp-bash/v2/internal/json"
)

// An Interceptor is a rule for messages: a jq expression, or a script in interceptors/; or an MCP server that has some.
// It is shared by all callers, who must not change it.
type Interceptor struct {
	Described
	Rule interceptor.Definition // without its name and its description
	JQ   string                 // the expression; empty for a script
	Path string                 // the script, absolute; empty for an expression
	// Server is the command line of an MCP server whose interceptors are used; nil: it is one itself.
	Server      []string
	Stay        bool          // it answers a line with a line, and stays
	Concurrency int           // how many processes of it may stay; 0: the default
	Config      ourjson.Value // an object; nil when absent
	Timeout     time.Duration // 0: the default
	AsError     bool          // what it refuses is answered with an error
}

// Source is the file of the rule.
func (i *Interceptor) Source() string {
	if i.JQ != "" || i.Server != nil {
		return i.MetadataFile
	}
	return i.Path
}

const (
	hooksSchema = `"type":"array","minItems":1,"items":` + hookSchema
	hookSchema  = `{"type":"object","required":["events","phase"],"properties":{"events":{"type":"array","minItems":1,` +
		`"items":{"type":"string"}},"phase":{"enum":["request","response","both"]}}}`
	prioritySchema = `"type":["integer","object"],` +
		`"properties":{"request":{"type":"integer"},"response":{"type":"integer"}}`
	maxTimeoutMS = 10 * 60 * 1000
)

// interceptorFields are the fields of an interceptor. All restrict: one that cannot be read leaves the interceptor out,
// and then nothing passes.
var interceptorFields = sync.OnceValue(func() fields[Interceptor] {
	return fields[Interceptor]{
		named(nameSchema, (*Interceptor).described, entryNamed),
		text(row{name: "description", is: "string; what it is for, and the reason where an expression gives none",
			absent: "none", shown: true}, func(i *Interceptor) *string { return &i.Description }),
		word(row{name: "type", is: "`validation` (says yes or no) or `mutation` (gives back another payload)",
			strict: true, shown: true},
			func(i *Interceptor) *string { return &i.Rule.Type }, interceptor.Validation, interceptor.Mutation),
		{row{name: "hooks", older: "hook", strict: true, shown: true, schema: hooksSchema,
			is: "array of `{\"events\", \"phase\"}`: events are methods, `*`, `*/request`, `*/response` or patterns such as " +
				"`tools/*`; the phase is `request`, `response` or `both`"},
			func(r *record, i *Interceptor) { i.Rule.Hooks = r.hooks() },
			func(w *objectWriter, i *Interceptor, _ paths) { w.add("hooks", ourjson.Encode(i.Rule.Hooks)) }},
		{row{name: "jq", strict: true, schema: `"type":"string","minLength":1`, absent: "the script beside it",
			is: "string: an expression about the payload, with `$config`, `$context`, `$event`, `$phase` and `$name`"},
			func(r *record, i *Interceptor) { i.JQ = r.expression(i.Rule.Type) }, nil},
		{row{name: "server", strict: true, schema: `"type":"array","minItems":1,"items":{"type":"string"}`, absent: "none",
			is: "array of words: the command line of an MCP server whose interceptors are used, instead of `type` and `hooks`"},
			func(r *record, i *Interceptor) {
				if m, ok := r.typed("server", '['); ok {
					if i.Server = r.strings(m); len(i.Server) == 0 || i.Server[0] == "" {
						r.refuse(m, "is empty", `write ["npx", "some-server"]`)
					}
				}
			}, nil},
		word(row{name: "mode", is: "`enforce` or `audit`, which is computed and logged, but has no effect",
			absent: "`enforce`", strict: true, shown: true},
			func(i *Interceptor) *string { return &i.Rule.Mode }, interceptor.Enforce, interceptor.Audit),
		yes(row{name: "failOpen", is: "boolean: where it fails, messages pass", absent: "false: they are refused"},
			func(i *Interceptor) *bool { return &i.Rule.FailOpen }),
		{row{name: "priorityHint", strict: true, shown: true, schema: prioritySchema, absent: "0",
			is: "whole number, or `{\"request\", \"response\"}`: mutators with lower ones come first, then by name"},
			func(r *record, i *Interceptor) {
				if m, ok := r.get("priorityHint"); ok {
					if err := i.Rule.Priority.UnmarshalJSON(m.Value); err != nil {
						r.refuse(m, err.Error(), "")
					}
				}
			},
			func(w *objectWriter, i *Interceptor, _ paths) {
				if i.Rule.Priority != (interceptor.Priority{}) {
					w.add("priorityHint", ourjson.Encode(i.Rule.Priority))
				}
			}},
		{row{name: "timeoutMs", strict: true, schema: `"type":"integer","minimum":1,"maximum":600000`, absent: "5000",
			is: "milliseconds until it has failed"},
			func(r *record, i *Interceptor) {
				i.Timeout = time.Duration(r.count("timeoutMs", maxTimeoutMS)) * time.Millisecond
			}, nil},
		yes(row{name: "stay", is: "boolean: the script stays, and answers each line with a line", absent: "false"},
			func(i *Interceptor) *bool { return &i.Stay }),
		whole(row{name: "concurrency", strict: true, schema: `"type":"integer","minimum":1,"maximum":64`, absent: "4",
			is: "how many processes of a script that stays may run; with 1 it remembers what it has seen"}, 64,
			func(i *Interceptor) *int { return &i.Concurrency }),
		yes(row{name: "refuseWithError", absent: "false: with a result that has `isError`",
			is: "boolean: a call of a tool that it refuses is answered with a JSON-RPC error"},
			func(i *Interceptor) *bool { return &i.AsError }),
		verbatim(row{name: "config", is: "object: `$config` in an expression, `config` in the question that a script gets",
			absent: "none", strict: true}, func(i *Interceptor) *ourjson.Value { return &i.Config }),
		verbatim(row{name: "configSchema", is: "schema of `config`, for those who use it elsewhere", absent: "none",
			shown: true}, func(i *Interceptor) *ourjson.Value { return (*ourjson.Value)(&i.Rule.ConfigSchema) }),
		verbatim(row{name: "compat", is: "object of `minProtocol` and `maxProtocol`; passed on as it is", absent: "none",
			shown: true}, func(i *Interceptor) *ourjson.Value { return (*ourjson.Value)(&i.Rule.Compat) }),
		text(row{name: "version", is: "string", absent: "none", shown: true},
			func(i *Interceptor) *string { return &i.Rule.Version }),
		filePath("string; the script", func(i *Interceptor) string { return i.Path }),
	}
})

// yes is a field that is true or false.
func yes[E any](r row, in func(*E) *bool) field[E] {
	r.strict, r.schema = true, `"type":"boolean"`
	return field[E]{r,
		func(o *record, e *E) {
			given := o.flag(r.name)
			*in(e) = given != nil && *given
		}, nil}
}

// hooks reads the hooks of an interceptor, or its older hook.
func (r *record) hooks() (all []interceptor.Hook) {
	name, list := "hooks", []ourjson.Member(nil)
	if m, ok := r.typed(name, '['); ok {
		if list = r.elements(m); len(list) == 0 {
			r.refuse(m, "is empty", `write [{"events": ["tools/call"], "phase": "request"}]`)
		}
	} else if m, ok := r.typed("hook", '{'); ok {
		name, list = "hook", []ourjson.Member{m}
	}
	for _, m := range list {
		m.Name = name
		var h interceptor.Hook
		if !r.isLike(m, '{', `write {"events": ["tools/call"], "phase": "request"}`) {
			continue
		}
		err := json.Unmarshal(m.Value, &h)
		if err == nil {
			err = h.Check()
		}
		if err != nil {
			r.refuse(m, "cannot apply: "+err.Error(), `write {"events": ["tools/call"], "phase": "request"}`)
		}
		all = append(all, h)
	}
	return all
}

// expression reads the field jq.
func (r *record) expression(kind string) string {
	m, ok := r.typed("jq", '"')
	if !ok {
		return ""
	}
	expression := ourjson.Text(m.Value)
	if _, err := interceptor.Expression(kind, expression); err != nil {
		r.refuse(m, "cannot be used: "+err.Error(), "")
	}
	return expression
}

func (p *Project) readInterceptor(c candidate, m metadata) Entry {
	made := &Interceptor{Described: m.described()}
	if !c.alone {
		made.Path = c.path
	}
	interceptorFields().read(p, c, m, made)
	o := m.object.strictly()
	if server, ok := o.get("server"); ok {
		for _, name := range []string{"type", "hooks", "hook", "jq", "stay", "priorityHint", "config"} {
			if m, ok := o.get(name); ok {
				o.deny(m, "is for an interceptor, and this is a server, which has its own", "remove it, or server")
			}
		}
		if made.Path != "" {
			o.deny(server, "is there, and a script too", "remove one of them")
		}
		return made
	}
	o.require("type", "write validation or mutation")
	if _, older := o.get("hook"); !older {
		o.require("hooks", `write [{"events": ["tools/call"], "phase": "request"}]`)
	}
	switch at, both := o.get("jq"); {
	case c.alone && made.JQ == "" && !both:
		o.add(o.doc.Fault(o.start, "jq", "is missing, and no script stands beside this file",
			"write a jq expression here, or add a script"))
	case both && made.Path != "":
		o.deny(at, "is there, and a script too", "remove one of them")
	case both && made.Stay:
		o.deny(at, "does not stay", "remove stay")
	}
	if made.Rule.Mode == interceptor.Enforce {
		made.Rule.Mode = ""
	}
	return made
}
