package project

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// check reads metadata as that of a tool, and looks at what must hold whatever it says.
func check(t *testing.T, m metadata, lines int) {
	t.Helper()
	defer func() {
		for _, f := range *m.faults {
			if f.Line < 0 || f.Line > lines || f.Reason == "" || strings.ContainsAny(f.String(), "\n\x00\x1b") {
				t.Fatalf("fault %q on line %d of %d", f, f.Line, lines)
			}
		}
	}()
	if m.unparsed || spoiled(*m.faults) {
		return
	}
	l := loader{root: "/nowhere"}
	made, _ := l.readTool(candidate{path: "/nowhere/tools/a.sh", name: "a"}, m)
	tool := made.(*Tool)
	if spoiled(*m.faults) {
		return
	}
	if !validName(tool.Name) || !utf8.ValidString(tool.Title+tool.Description) {
		t.Fatalf("tool %q", tool.Name)
	}
	for _, value := range []jsontext.Value{tool.InputSchema, tool.OutputSchema, tool.Annotations, tool.Icons, tool.Meta, tool.Metadata} {
		if value != nil && !value.IsValid() || bytes.ContainsAny(value, "\n\r") {
			t.Fatalf("JSON %q", value)
		}
	}
	var schema struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(tool.InputSchema, &schema); err != nil || schema.Type != "object" {
		t.Fatalf("inputSchema %s: %v", tool.InputSchema, err)
	}
}

func metadataOf(doc document, fault *Fault) metadata {
	m := metadata{file: "x", faults: new([]Fault)}
	m.open(doc, fault)
	return m
}

func lineCount(data []byte) int { return 1 + bytes.Count(data, []byte("\n")) }

func FuzzJSONMetadata(f *testing.F) {
	for _, seed := range []string{
		`{"name":"a","title":"b","description":"c"}`, `{"inputSchema":{"type":"object","properties":{"a":{}}}}`,
		`{"arguments":{"a":{}}}`, `{"icons":[{"src":"a.png","sizes":["1x1"]},{"src":"https://a"}]}`, `{"icons":[{"src":"../../etc/passwd\u0000"}]}`,
		`{"env":{"A":"b"},"cwd":"x/../y","timeoutSecs":1e3,"maxOutputBytes":1}`, `{"inputSchema":{"type":null}}`,
		"{\"a\":\n1,}", "\uFEFF{}", `{"a":1,"a":2}`, `{"annotations":{"title":1}}`, `[`, ``, `{"":{}}`, `{"input\nschema":1}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		check(t, metadataOf(jsonDocument("x", data), nil), lineCount(data))
	})
}

func FuzzYAMLMetadata(f *testing.F) {
	for _, seed := range []string{
		"name: a\ntitle: b\n", "inputSchema:\n  type: object\n", "a: &x {b: 1}\nc: *x\n", "a: [1, 0x1F, .5, .inf, ~, yes, 2024-01-01]\n",
		"? a\n: b\n", "a: !!binary x\n", "a: |\n  x\n", "---\na: 1\n---\n", "{a: 1}", "<<: {a: 1}", "\uFEFFa: 1", "a: \"\\ud800\"", "%YAML 1.1\n---\na: 1",
		"a: !!float 1\nb: !!int 0o7\nc: -0x1\nd: 08\ne: 1__0\n", "a: &a [*a]", "icons:\n- src: x\n  sizes: 1\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > yamlBytes {
			return
		}
		doc, fault := yamlDocument("x", data)
		if fault == nil && doc.json != nil && !jsontext.Value(doc.json).IsValid() {
			t.Fatalf("%q became %q", data, doc.json)
		}
		check(t, metadataOf(doc, fault), lineCount(data))
	})
}

func FuzzInlineMetadata(f *testing.F) {
	for _, seed := range []string{
		"#!/bin/sh\n# mcp: {\"title\":\"x\"}\n", "// mcp:{}", "-- mcp: {\"a\":", "#mcp:", "# mcp: x", "\x00", "\uFEFF#\tmcp:{}\r\n", "\n\n\n\n\n\n\n\n\n\n# mcp: {}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, head []byte) {
		text, line, found := inlineMetadata(head)
		if found && (line < 1 || line > headLines) || text != nil && !bytes.HasPrefix(text, []byte("{")) {
			t.Fatalf("%q on line %d", text, line)
		}
		if text != nil {
			check(t, metadataOf(inlineDocument("x", text, line), nil), lineCount(head))
		}
	})
}
