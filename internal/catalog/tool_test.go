package catalog

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/process"
)

func TestAToolSaysAllThatItsMetadataSays(t *testing.T) {
	is := is.New(t)
	root := folderOf(t, `
-- tools/weather/tool.sh --
#!/bin/sh
-- tools/weather/tool.meta.json --
{
  "name": "get-weather",
  "title": "Weather",
  "description": "Tells the weather.",
  "inputSchema": {"type": "object", "properties": {"city": {"type": "string"}}},
  "outputSchema": {"type": "object"},
  "annotations": {"readOnlyHint": true, "x-own": [1, 2]},
  "_meta": {"a/b": 1.0},
  "timeoutSecs": 2.5,
  "timeoutHint": "Ask for less.",
  "maxTimeoutSecs": 600,
  "progressExtendsTimeout": false,
  "maxOutputBytes": 1000,
  "limits": {"processes": 64, "memory": "512M", "cpuSeconds": 10, "fileSize": 1048576, "openFiles": 100},
  "concurrency": 2,
  "taskSupport": "required",
  "env": {"LANG": "C", "EMPTY": ""},
  "cwd": "data/weather",
  "requiredScopes": ["weather", "read:all"],
  "author": "somebody"
}
`)
	tool := only(t, snapshot(t, opened(t, root, Options{})))
	timeout, most, no := 2500*time.Millisecond, 600*time.Second, false
	want := &Tool{
		Described: Described{Name: "get-weather", Title: "Weather", Description: "Tells the weather.",
			Meta: []byte(`{"a/b":1.0}`), MetadataFile: filepath.Join(root, "tools", "weather", "tool.meta.json"),
			Metadata: tool.Metadata},
		InputSchema:  []byte(`{"type":"object","properties":{"city":{"type":"string"}}}`),
		OutputSchema: []byte(`{"type":"object"}`),
		Annotations:  []byte(`{"readOnlyHint":true,"x-own":[1,2]}`),
		Path:         filepath.Join(root, "tools", "weather", "tool.sh"),
		Dir:          filepath.Join(root, "tools", "weather"),
		Settings: &Settings{
			Cwd:                    filepath.Join(root, "data", "weather"),
			Env:                    map[string]string{"LANG": "C", "EMPTY": ""},
			Timeout:                &timeout,
			MaxTimeout:             &most,
			TimeoutHint:            "Ask for less.",
			ProgressExtendsTimeout: &no,
			MaxOutputBytes:         1000,
			Limits:                 process.Limits{Processes: 64, Memory: 512 << 20, CPU: 10, FileSize: 1 << 20, OpenFiles: 100},
			Concurrency:            2,
			TaskSupport:            "required",
			RequiredScopes:         []string{"weather", "read:all"},
		},
		ReadOnly: true,
	}
	is.Equal(cmp.Diff(want, tool), "")                                                            // every field
	is.True(strings.HasPrefix(string(tool.Metadata), `{"name":"get-weather","title":"Weather",`)) // all of it, on one line
	// with what we do not know
	is.True(strings.HasSuffix(string(tool.Metadata), `"author":"somebody"}`))
}

func TestAToolWithoutMetadataHasDefaults(t *testing.T) {
	is := is.New(t)
	root := folderOf(t, "-- tools/hello/tool.sh --\n#!/bin/sh\n")
	tool := only(t, snapshot(t, opened(t, root, Options{})))
	want := &Tool{
		Described:   Described{Name: "hello"},
		InputSchema: []byte(`{"type":"object","properties":{}}`),
		Path:        filepath.Join(root, "tools", "hello", "tool.sh"),
		Dir:         filepath.Join(root, "tools", "hello"),
		Settings:    &Settings{},
	}
	is.Equal(cmp.Diff(want, tool), "") // nothing else is set
}

func TestNullIsAbsent(t *testing.T) {
	is := is.New(t)
	tool := only(t, found(t, `
-- tools/a.sh --
-- tools/a.meta.json --
{"name":null,"title":null,"inputSchema":null,"timeoutSecs":null,"icons":null,"env":{"A":null},"annotations":{"title":null}}
`))
	is.Equal(tool.Name, "a")                         // the usual name
	is.Equal(string(tool.InputSchema), anyArguments) // the usual schema
	is.True(tool.Timeout == nil && tool.Icons == nil)
	is.Equal(len(tool.Env), 0) // a variable too
}

func TestNoTimeoutIsNotTheSameAsTimeoutZero(t *testing.T) {
	is := is.New(t)
	tool := only(t, found(t, "-- tools/a.sh --\n# mcp: {\"timeoutSecs\": 0}\n"))
	is.Equal(*tool.Timeout, time.Duration(0)) // none, by wish of its author
}

func TestTheBytesOfASchemaAreKept(t *testing.T) {
	is := is.New(t)
	tool := only(t, found(t, `
-- tools/a.sh --
-- tools/a.meta.json --
{"inputSchema": {
  "type": "object", "$defs": {"z": {"const": 1.0e2}, "a": {"$anchor": "x"}},
  "properties": {"b\u00e9": {"maximum": 123456789012345678901234567890}},
  "allOf": [ {} ], "x-own": "<&>\/", "additionalProperties": false
}}
`))
	is.Equal(string(tool.InputSchema), `{"type":"object","$defs":{"z":{"const":1.0e2},"a":{"$anchor":"x"}},`+
		`"properties":{"b\u00e9":{"maximum":123456789012345678901234567890}},`+
		`"allOf":[{}],"x-own":"<&>\/","additionalProperties":false}`) // order, numbers, escapes, keywords
}

func TestInputSchemas(t *testing.T) {
	const left = "" // the tool is left out
	cases := []struct{ name, metadata, schema, fault string }{
		{"empty", `{"inputSchema":{}}`, `{"type":"object","properties":{}}`, ""},
		{"without a type", `{"inputSchema":{ "required":["a"], "allOf":[{}]}}`,
			`{"type":"object","properties":{},"required":["a"],"allOf":[{}]}`, ""},
		{"without properties", `{"inputSchema":{"type":"object"}}`, `{"properties":{},"type":"object"}`, ""},
		{"by its older name", `{"arguments":{"type":"object"}}`, `{"properties":{},"type":"object"}`, ""},
		{"by both names", "{\"inputSchema\":{\"type\":\"object\"},\n\"arguments\":{}}", `{"properties":{},"type":"object"}`,
			"tools/a.meta.json:2: arguments: is an older name for inputSchema, which is also present and takes precedence; remove one of the two"},
		{"a list of arguments", `{"arguments":{"city":{"type":"string"}}}`,
			`{"type":"object","properties":{},"city":{"type":"string"}}`,
			`tools/a.meta.json:1: arguments: looks like a list of arguments, not like a schema, so it checks nothing; write {"type":"object","properties":{…}} around it`},
		{"an array", `{"arguments":[{"name":"city"}]}`, left,
			"tools/a.meta.json:1: arguments: must be an object, not an array"},
		{"a string", "{\n\n\"inputSchema\": \"object\"}", left,
			"tools/a.meta.json:3: inputSchema: must be an object, not a string"},
		{"of another type", "{\"inputSchema\":\n{\"type\":\"string\"}}", left,
			`tools/a.meta.json:2: inputSchema.type: must be "object", because arguments are an object; write "type":"object" and put this schema into "properties"`},
		{"of several types", `{"inputSchema":{"type":["object","null"]}}`, left,
			`tools/a.meta.json:1: inputSchema.type: must be "object", because arguments are an object; write "type":"object" and put this schema into "properties"`},
		{"of no type", `{"inputSchema":{"type":null}}`, `{"type":"object","properties":{}}`,
			`tools/a.meta.json:1: inputSchema.type: matches none of the 2 alternatives: (1) expected one of "array", "boolean", "integer", "null", "number", "object", "string", got null; (2) expected array, got null`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			is := is.New(t)
			s := found(t, "-- tools/a.sh --\n-- tools/a.meta.json --\n"+c.metadata)
			is.Equal(faults(s), c.fault) // what its author is told
			is.Equal(len(s.Items) == 0, c.schema == left)
			if c.schema != left {
				is.Equal(string(s.Items[0].InputSchema), c.schema)
			}
		})
	}
}

func TestTheSchemaCheckDecidesAboutSchemas(t *testing.T) {
	is := is.New(t)
	root := folderOf(t, `
-- tools/a.sh --
-- tools/a.meta.json --
{"inputSchema": {"$schema": "draft-0"}}
-- tools/b.sh --
-- tools/b.meta.json --
{"inputSchema": {},
 "outputSchema": {"$schema": "draft-0"}}
-- tools/c.sh --
-- tools/c.meta.json --
{"outputSchema": {}}
`)
	s := snapshot(t, opened(t, root, Options{}))
	is.Equal(names(s), "c") // a tool is served with the checks that its author wrote, or not at all
	for i, place := range []string{"tools/a.meta.json:1: inputSchema: ", "tools/b.meta.json:2: outputSchema: "} {
		is.True(strings.HasPrefix(s.Faults[i].String(), place+`at /$schema: dialect "draft-0" is not supported`))
	}
}

func TestAFieldOfTheWrongTypeIsNamedWithItsLine(t *testing.T) {
	cases := []struct{ metadata, fault string }{
		{`{"name": 7}`, `:1: name: must be a string, not a number; write "7"`},
		{"{\n\"title\": true}", `:2: title: must be a string, not true or false; write "true"`},
		{`{"description": ["a"]}`, `:1: description: must be a string, not an array`},
		{`{"outputSchema": []}`, `:1: outputSchema: must be an object, not an array`},
		{`{"annotations": "a"}`, `:1: annotations: must be an object, not a string`},
		{"{\"annotations\": {\n\"readOnlyHint\": \"yes\"}}",
			`:2: annotations.readOnlyHint: must be true or false, not a string; write true or false, without quotes`},
		{`{"annotations": {"title": 1}}`, `:1: annotations.title: must be a string, not a number; write "1"`},
		{`{"_meta": 1}`, `:1: _meta: must be an object, not a number`},
		{`{"icons": {}}`, `:1: icons: must be an array, not an object; write [{"src":"icon.png"}]`},
		{"{\"icons\": [\n{\"src\":\"https://a/b.png\"},\n\"b.png\"]}",
			`:3: icons.1: must be an object, not a string; write {"src":"icon.png"}`},
		{"{\"icons\": [\n{\"source\":1}]}", `:2: icons.0.src: is missing; write {"src":"icon.png"}`},
		{`{"icons": [{"src":"data:,","sizes":"48x48"}]}`, `:1: icons.0.sizes: must be an array, not a string`},
		{`{"icons": [{"src":"data:,","sizes":[48]}]}`, `:1: icons.0.sizes.0: must be a string, not a number; write "48"`},
		{`{"icons": [{"src":"data:,","mimeType":1}]}`, `:1: icons.0.mimeType: must be a string, not a number; write "1"`},
		{`{"timeoutSecs": "30"}`, `:1: timeoutSecs: should be a number, not a string; write a number, without quotes`},
		{`{"timeoutSecs": -1}`, `:1: timeoutSecs: must be from 0 to 31536000`},
		{`{"timeoutSecs": 1e999}`, `:1: timeoutSecs: must be from 0 to 31536000`},
		{`{"timeoutHint": {}}`, `:1: timeoutHint: must be a string, not an object`},
		{`{"progressExtendsTimeout": 1}`, `:1: progressExtendsTimeout: must be true or false, not a number`},
		{`{"maxOutputBytes": 0}`, `:1: maxOutputBytes: must be from 1 to 1125899906842624`},
		{`{"maxOutputBytes": 1.5}`, `:1: maxOutputBytes: must be a whole number`},
		{`{"taskSupport": "never"}`, `:1: taskSupport: must be one of optional, required, forbidden, not "never"`},
		{`{"requiredScopes": "ops"}`, `:1: requiredScopes: must be an array, not a string`},
		{`{"requiredScopes": ["ops read"]}`,
			`:1: requiredScopes: must be an array of scopes, each as it is in tokens; write them as in ["deploy", "logs:read"]`},
		{`{"concurrency": 0.5}`, `:1: concurrency: must be from 1 to 1048576`},
		{`{"limits": 5}`, `:1: limits: must be an object, not a number`},
		{"{\"limits\": {\"memory\": \"1G\",\n\"processes\": 0}}", `:2: limits.processes: must be from 1 to 4194304`},
		{`{"limits": {"processes": "64"}}`, `:1: limits.processes: must be a number, not a string`},
		{`{"limits": {"cpuSeconds": 1.5}}`, `:1: limits.cpuSeconds: must be a whole number`},
		{`{"limits": {"openFiles": 2}}`, `:1: limits.openFiles: must be from 8 to 1048576`},
		{`{"limits": {"memory": "much"}}`,
			`:1: limits.memory: must be a number of bytes, as in 536870912 or 512M; write bytes, or a size as in "512M"`},
		{`{"limits": {"fileSize": true}}`,
			`:1: limits.fileSize: must be a number, not true or false; write bytes, or a size as in "512M"`},
		{`{"limits": {"procesess": 3}}`,
			`:1: limits.procesess: is not a limit; the limits are processes, memory, cpuSeconds, fileSize, openFiles`},
		{`{"env": ["A=b"]}`, `:1: env: must be an object, not an array`},
		{"{\"env\": {\"A\": \"b\",\n\"B\": 1}}", `:2: env.B: must be a string, not a number; write "1"`},
		{`{"env": {"A-B": "c"}}`, `:1: env.A-B: is not a name for a variable; use letters, digits and _, and no digit first`},
		{`{"env": {"": "c"}}`, `:1: env.: is not a name for a variable; use letters, digits and _, and no digit first`},
		{`{"env": {"A": "\u0000"}}`, `:1: env.A: contains U+0000, which no variable can`},
		{`{"cwd": "../x"}`, `:1: cwd: must be a folder in the project; write it relative to the project's root, as in "data"`},
		{`{"cwd": "/tmp"}`, `:1: cwd: must be a folder in the project; write it relative to the project's root, as in "data"`},
		{`{"cwd": ""}`, `:1: cwd: must be a folder in the project; write it relative to the project's root, as in "data"`},
		{`{"name": "a b"}`, `:1: name: is not a name for a tool; use 1 to 128 of A-Z a-z 0-9 _ . -`},
		{`{"name": ""}`, `:1: name: is not a name for a tool; use 1 to 128 of A-Z a-z 0-9 _ . -`},
		{`{"name": "` + strings.Repeat("a", 129) + `"}`,
			`:1: name: is not a name for a tool; use 1 to 128 of A-Z a-z 0-9 _ . -`},
	}
	for _, c := range cases {
		t.Run(c.metadata, func(t *testing.T) {
			is := is.New(t)
			s := found(t, "-- tools/a.sh --\n-- tools/a.meta.json --\n"+c.metadata+"\n-- tools/good.sh --\n")
			is.Equal(faults(s), "tools/a.meta.json"+c.fault) // file, line, field, and what to do
			field, _, _ := strings.Cut(strings.TrimRight(strings.Fields(c.fault)[1], ":"), ".")
			if slices.Contains(restricting(), field) && !s.Faults[0].Warning {
				is.Equal(names(s), "good") // the tool would be allowed what its author wanted refused
			} else {
				is.Equal(names(s), "a good") // it costs the value alone
			}
		})
	}
}

func TestAllFaultsOfAFileAreToldAtOnce(t *testing.T) {
	is := is.New(t)
	s := found(t, "-- tools/a.sh --\n-- tools/a.meta.json --\n{\"title\":1,\n\"cwd\":2,\n\"env\":3}\n")
	is.Equal(len(s.Faults), 3) // nobody mends them one by one
}

func TestTheLongestName(t *testing.T) {
	is := is.New(t)
	name := strings.Repeat("a", 122) + "Z9_.-0"
	is.Equal(only(t, found(t, "-- tools/a.sh --\n# mcp: {\"name\":\""+name+"\"}\n")).Name, name)
}

func TestAFileWhoseNameMakesABadToolName(t *testing.T) {
	is := is.New(t)
	s := found(t, "-- tools/say hello.sh --\n-- tools/say it.sh --\n# mcp: {\"name\": \"say\"}\n")
	is.Equal(names(s), "say") // metadata may give a better one
	is.Equal(faults(s), "tools/say hello.sh: name: its file name is not a valid name for a tool; "+
		"rename it, or give it a name in metadata: use 1 to 128 of A-Z a-z 0-9 _ . -")
}

func TestTheFirstOfTwoToolsWithOneNameStays(t *testing.T) {
	is := is.New(t)
	s := found(t, "-- tools/b/b.sh --\n-- tools/a.sh --\n# mcp: {\"name\": \"b\", \"title\": \"first\"}\n-- tools/B.sh --\n")
	is.Equal(names(s), "B b")           // names differ by case
	is.Equal(s.Items[1].Title, "first") // in the order of paths
	is.Equal(faults(s), `tools/b/b.sh: name: "b" is the name of tools/a.sh already, so this tool is left out; give one of the two another name`)
}

func TestAMisspeltFieldIsPointedOut(t *testing.T) {
	is := is.New(t)
	s := found(t, `
-- tools/a.sh --
-- tools/a.meta.json --
{
  "inputschema": {},
  "timeout_secs": 1,
  "timeout": 1,
  "desciption": "",
  "annotations": {"readonlyHint": true},
  "meta": {},
  "version": "1", "tags": [], "command": "x", "x": 1, "category": "", "namespace": ""
}
`)
	is.Equal(names(s), "a") // it is served all the same
	is.Equal(faults(s), strings.TrimSpace(`
tools/a.meta.json:2: inputschema: is not a known field, so it has no effect; did you mean inputSchema?
tools/a.meta.json:3: timeout_secs: is not a known field, so it has no effect; did you mean timeoutSecs?
tools/a.meta.json:4: timeout: is not a known field, so it has no effect; did you mean timeoutSecs?
tools/a.meta.json:5: desciption: is not a known field, so it has no effect; did you mean description?
tools/a.meta.json:6: annotations.readonlyHint: is not a known field, so it has no effect; did you mean readOnlyHint?
tools/a.meta.json:7: meta: is not a known field, so it has no effect; did you mean _meta?`))
	for _, f := range s.Faults {
		is.True(f.Warning) // and marked so
	}
}

func TestAFieldThatWasRemovedIsNamedAndTheToolIsServed(t *testing.T) {
	is := is.New(t)
	s := found(t, `
-- tools/a.sh --
#!/usr/bin/env bash
:
-- tools/a.meta.json --
{
  "prestart": true
}
`)
	is.Equal(names(s), "a")
	is.Equal(faults(s), "tools/a.meta.json:2: prestart: has no effect any more: each call starts its own shell; remove it")
}
