package mcptest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/yosida95/uritemplate/v3"
)

// official reads the schemas once for all tests of a process.
var official = sync.OnceValues(func() (revisions, error) {
	folder, err := find()
	if err != nil {
		return nil, err
	}
	return load(folder)
})

// find looks for the folder of the schemas beside the repository.
func find() (string, error) {
	root, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			break
		}
		parent := filepath.Dir(root)
		if parent == root {
			return "", errors.New("no go.mod above the working directory")
		}
		root = parent
	}
	folder := filepath.Join(filepath.Dir(root), "shared", "mcp", "schema")
	if _, err := os.Stat(folder); err != nil {
		return "", fmt.Errorf("no official schemas in %s", folder)
	}
	return folder, nil
}

// revisions are all revisions of the protocol, oldest first.
type revisions []*revision

// load reads the schema of every revision.
func load(folder string) (revisions, error) {
	const older, newer = "JSONRPCResponse", "JSONRPCResultResponse"
	all := revisions{
		{version: "2024-11-05", definitions: "definitions", result: older, failure: "JSONRPCError", idRequired: true},
		{version: "2025-03-26", definitions: "definitions", result: older, failure: "JSONRPCError", idRequired: true,
			batches: true},
		{version: "2025-06-18", definitions: "definitions", result: older, failure: "JSONRPCError", idRequired: true},
		{version: "2025-11-25", definitions: "$defs", result: newer, failure: "JSONRPCErrorResponse"},
		{version: "2026-07-28", definitions: "$defs", result: newer, failure: "JSONRPCErrorResponse", modern: true},
	}
	for _, r := range all {
		if err := r.read(filepath.Join(folder, r.version+".json")); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// modern returns the revision without sessions.
func (all revisions) modern() *revision { return all[len(all)-1] }

// newest returns the newest revision that initialize opens.
func (all revisions) newest() *revision { return all[len(all)-2] }

// named returns a revision that initialize opens, nil for any other version.
func (all revisions) named(version any) *revision {
	for _, r := range all {
		if r.version == version && !r.modern {
			return r
		}
	}
	return nil
}

// A revision is one schema and rules that cannot be read from it.
type revision struct {
	version     string
	modern      bool   // requests bring their own terms; no session
	batches     bool   // answers may be in arrays
	idRequired  bool   // also in errors, by the schema; J-15 omits it all the same
	definitions string // the member of the schema with the definitions
	result      string // the definition of an answer
	failure     string // the definition of an error

	defs map[string]any

	mu       sync.Mutex // one revision serves parallel tests
	compiler *jsonschema.Compiler
	compiled map[string]*jsonschema.Schema
}

func (r *revision) read(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	doc, err := jsonschema.UnmarshalJSON(f)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	top, _ := doc.(map[string]any)
	defs, ok := top[r.definitions].(map[string]any)
	if !ok {
		return fmt.Errorf("%s: no %s", path, r.definitions)
	}
	r.defs, r.compiled = defs, make(map[string]*jsonschema.Schema)
	r.compiler = jsonschema.NewCompiler()
	r.compiler.AssertFormat()
	// The library's own refuses a variable right after //.
	r.compiler.RegisterFormat(&jsonschema.Format{Name: "uri-template", Validate: uriTemplate})
	return r.compiler.AddResource(r.url(), doc)
}

// uriTemplate checks a string against RFC 6570.
func uriTemplate(value any) error {
	text, ok := value.(string)
	if !ok {
		return nil
	}
	_, err := uritemplate.New(text)
	return err
}

func (r *revision) url() string { return "mem:///" + r.version }

// knows reports whether the revision defines something of that name.
func (r *revision) knows(definition string) bool { return r.defs[definition] != nil }

// validate checks a value against a definition and returns the errors, each with its place.
func (r *revision) validate(definition string, value any) []string {
	if !r.knows(definition) {
		return []string{fmt.Sprintf("%s has no %s", r.version, definition)}
	}
	s, err := r.compile(definition)
	if err == nil {
		err = s.Validate(value)
	}
	if err == nil {
		return nil
	}
	text := err.Error()
	if _, causes, ok := strings.Cut(text, "\n"); ok { // the first line names the schema
		text = causes
	}
	return []string{fmt.Sprintf("breaks %s of %s:\n%s", definition, r.version, text)}
}

func (r *revision) compile(definition string) (*jsonschema.Schema, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if s, ok := r.compiled[definition]; ok {
		return s, nil
	}
	s, err := r.compiler.Compile(r.url() + "#/" + r.definitions + "/" + definition)
	if err == nil {
		r.compiled[definition] = s
	}
	return s, err
}
