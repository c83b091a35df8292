package catalog

import (
	"bytes"
	"errors"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mcp-bash/mcp-bash/v2/internal/document"
	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

// check reads metadata as that of each kind, and checks what must hold for any metadata.
func check(t *testing.T, m metadata, lines int) {
	t.Helper()
	defer func() {
		for _, f := range m.faults {
			if f.Line < 0 || f.Line > lines || f.Reason == "" || strings.ContainsAny(f.String(), "\n\x00\x1b") {
				t.Fatalf("fault %q on line %d of %d", f, f.Line, lines)
			}
		}
	}()
	if m.unparsed || hasErrors(m.faults) {
		return
	}
	for k := range kindCount {
		checkAs(t, k, m)
	}
	checkAs(t, kindCount, m)
}

// checkAs reads metadata as that of one kind; kindCount stands for user interfaces.
func checkAs(t *testing.T, k kind, m metadata) {
	t.Helper()
	faults := m.faults
	defer func() { m.faults = append(faults, m.faults...) }()
	m.faults = nil
	p := &Project{root: "/nowhere", serverDir: "/nowhere/server.d"}
	c := candidate{file: &file{}, path: "/nowhere/tools/a.sh", name: "a"}
	var made Entry
	m.untilStable(func() {
		if k == kindCount {
			made = p.readInterface(c, m)
		} else {
			made = kinds[k].read(p, c, m)
		}
	})
	if hasErrors(m.faults) {
		return
	}
	checkEntry(t, made)
}

// checkEntry checks an entry that would be served.
func checkEntry(t *testing.T, made Entry) {
	t.Helper()
	name := keyOf(made, byName)
	if name == "" || !utf8.ValidString(name) || strings.ContainsAny(name, "\n\r\x00") {
		t.Fatalf("name %q", name)
	}
	var w objectWriter
	kinds[made.kind()].write(&w, made, paths{"/nowhere", "/nowhere/tools"}, false)
	if written := w.object(); !written.IsValid() || bytes.ContainsAny(written, "\n\r") {
		t.Fatalf("JSON %s", written)
	}
	switch v := made.(type) {
	case *Tool:
		var schema struct {
			Type string `json:"type"`
		}
		if err := json.Unmarshal(v.InputSchema, &schema); err != nil || schema.Type != "object" || !validName(name) {
			t.Fatalf("%s: inputSchema %s: %v", name, v.InputSchema, err)
		}
	case *Resource:
		if u, err := url.Parse(v.URI); err != nil || u.Scheme == "" {
			t.Fatalf("URI %q", v.URI)
		}
	case *Template:
		if len(v.Variables()) == 0 {
			t.Fatalf("URI template %q", v.URITemplate)
		}
		v.Match("file:///a/b?c=d")
	case *Prompt:
		for _, a := range v.Arguments {
			if !utf8.ValidString(a.Name) {
				t.Fatalf("argument %q", a.Name)
			}
		}
	}
}

func metadataOf(doc document.Document, fault *Fault) metadata {
	m := metadata{object: object{reading: &reading{}}, file: "x"}
	m.open(doc, fault)
	return m
}

func lineCount(data []byte) int { return 1 + bytes.Count(data, []byte("\n")) }

func FuzzJSONMetadata(f *testing.F) {
	for _, seed := range []string{
		`{"name":"a","title":"b","description":"c"}`, `{"inputSchema":{"type":"object","properties":{"a":{}}}}`,
		`{"arguments":{"a":{}}}`, `{"icons":[{"src":"a.png","sizes":["1x1"]},{"src":"https://a"}]}`,
		`{"icons":[{"src":"../../etc/passwd\u0000"}]}`,
		`{"env":{"A":"b"},"cwd":"x/../y","timeoutSecs":1e3,"maxOutputBytes":1}`, `{"inputSchema":{"type":null}}`,
		"{\"a\":\n1,}", "\uFEFF{}", `{"a":1,"a":2}`,
		`{"uri":" :0"}`, `{"uri":"0"}`, `{"uri":"%20:0"}`, `{"uri":"é:0"}`,
		`{"uri":"x:1","mimeType":"a/b","size":1,"annotations":{"audience":["user"],"priority":1,"lastModified":"2025-01-01"}}`,
		`{"name":"t","uriTemplate":"x:{+a}{?b*}{#c:3}","completion":{"a":["b",1],"":"x.sh"}}`,
		`{"arguments":[{"name":"a","required":true,"values":[]}],"role":"user","messages":[{"role":"user","content":{"type":"text"}}]}`,
		`{"arguments":{"properties":{"a":{"enum":["x",null]},"b":true},"required":["a"]}}`,
		`{"template":"form","config":{},"entrypoint":"a/b.html","meta":{"csp":{},"prefersBorder":false,"sandboxDomain":"x"}}`,
		`{"annotations":{"title":1}}`, `[`, ``, `{"":{}}`, `{"input\nschema":1}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		check(t, metadataOf(document.JSON("x", data), nil), lineCount(data))
	})
}

func FuzzYAMLMetadata(f *testing.F) {
	for _, seed := range []string{
		"name: a\ntitle: b\n", "inputSchema:\n  type: object\n", "a: &x {b: 1}\nc: *x\n",
		"a: [1, 0x1F, .5, .inf, ~, yes, 2024-01-01]\n",
		"? a\n: b\n", "a: !!binary x\n", "a: |\n  x\n", "---\na: 1\n---\n", "{a: 1}", "<<: {a: 1}", "\uFEFFa: 1",
		"a: \"\\ud800\"", "%YAML 1.1\n---\na: 1",
		"a: !!float 1\nb: !!int 0o7\nc: -0x1\nd: 08\ne: 1__0\n", "a: &a [*a]", "icons:\n- src: x\n  sizes: 1\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > document.YAMLBytes {
			return
		}
		doc, fault := document.YAML("x", data, undivided())
		if fault == nil && doc.JSON != nil && !json.Value(doc.JSON).IsValid() {
			t.Fatalf("%q became %q", data, doc.JSON)
		}
		check(t, metadataOf(doc, fault), lineCount(data))
	})
}

func FuzzInlineMetadata(f *testing.F) {
	for _, seed := range []string{
		"#!/bin/sh\n# mcp: {\"title\":\"x\"}\n", "// mcp:{}", "-- mcp: {\"a\":", "#mcp:", "# mcp: x", "\x00",
		"\uFEFF#\tmcp:{}\r\n", "\n\n\n\n\n\n\n\n\n\n# mcp: {}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, head []byte) {
		text, line, found := inlineMetadata(head)
		if found && (line < 1 || line > headLines) || text != nil && !bytes.HasPrefix(text, []byte("{")) {
			t.Fatalf("%q on line %d", text, line)
		}
		if text != nil {
			check(t, metadataOf(document.Inline("x", text, line), nil), lineCount(head))
		}
	})
}

func FuzzRegistration(f *testing.F) {
	for _, seed := range []string{
		`{"version":1}`, `{"version":1,"tools":null,"prompts":[]}`, `{"version":1,"tools":[{"name":"a","path":"x"}]}`,
		`{"version":1,"resources":[{"name":"a","uri":"x:1"},{"name":"a","uri":"x:1"}]}`,
		`{"version":1,"resourceTemplates":[{"name":"a","uriTemplate":"x:{y}"}]}`,
		`{"version":1,"prompts":[{"name":"a","messages":[]}],"completions":[{"name":"a","path":"../../x"}],"_meta":{}}`,
		`{"version":2,"x":1}`, "\uFEFF{}", `[`,
	} {
		f.Add([]byte(seed))
	}
	p := &Project{root: "/nowhere"}
	for k := range p.dirs {
		p.dirs[k] = "/nowhere"
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		json := &records{from: dep{path: "/nowhere/server.d/register.json"}}
		p.parseRegisterJSON(json, data)
		checkBatches(t, json.batches)
		sh := dep{path: "/nowhere/server.d/register.sh"}
		checkBatches(t, p.parseOutput(&records{from: sh, output: data}).batches)
		if !bytes.Contains(data, []byte{0}) {
			output := append([]byte("\x00tools\x007\x00"), append(data, "\x00{}"...)...)
			checkBatches(t, p.parseOutput(&records{from: sh, output: output}).batches)
		}
	})
}

// checkBatches checks the result of registrations.
func checkBatches(t *testing.T, batches [kindCount]*batch) {
	t.Helper()
	check := func(err error) {
		if err != nil && (!errors.Is(err, ErrRegistration) || strings.ContainsAny(err.Error(), "\n\x00\x1b")) {
			t.Fatalf("error %q", err)
		}
	}
	for _, b := range batches {
		if b == nil {
			continue
		}
		check(b.err)
		for _, h := range b.items {
			if b.err == nil && h.entry != nil {
				checkEntry(t, h.entry)
			}
		}
	}
}
