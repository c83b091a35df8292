package check

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/qri-io/jsonschema"

	"github.com/mcp-bash/mcp-bash/v2/docs"
	"github.com/mcp-bash/mcp-bash/v2/internal/catalog"
	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

// documents holds the metadata of what is served, of the server, and register.json against their JSON Schemas, those
// by which editors complete. It reports what the server does not say itself: about fields that only others read,
// and about parts of values that are passed on as they are.
func (c *contents) documents() {
	schemas := make(schemas)
	for _, t := range c.tools {
		c.conform(schemas, "tools", "tool", t.MetadataFile, t.Metadata)
	}
	for _, r := range c.resources {
		kind := "resource"
		if r.UI != nil {
			kind = "ui"
		}
		c.conform(schemas, "resources", kind, r.MetadataFile, r.Metadata)
	}
	for _, t := range c.templates {
		c.conform(schemas, "resourceTemplates", "resource-template", t.MetadataFile, t.Metadata)
	}
	for _, p := range c.prompts {
		c.conform(schemas, "prompts", "prompt", p.MetadataFile, p.Metadata)
	}
	for _, s := range c.completers {
		c.conform(schemas, "completions", "completion", s.MetadataFile, s.Metadata)
	}
	c.conform(schemas, "server", "server", c.identity.MetadataFile, c.identity.Metadata)
	c.conform(schemas, "server", "register", filepath.Join(c.project.ServerDir(), "register.json"), nil)
}

// conform holds the document in a file against the schema of a kind. A file that holds more than the document, such
// as register.json, is not the one that is meant; nil is any.
func (c *contents) conform(schemas schemas, section, kind, file string, whole json.Value) {
	d, ok := c.project.Document(file)
	if !ok || whole != nil && !bytes.Equal(whole, d.JSON()) {
		return
	}
	var faults []catalog.Fault
	for _, e := range schemas.of(kind).faults(d.JSON()) {
		f := d.Fault(e.PropertyPath, "is not as docs/schema/"+kind+".json says: "+said(e), "")
		if !c.mentioned(f) {
			faults = append(faults, f)
		}
	}
	c.addFaults(section, faults)
}

// mentioned reports whether there is a finding about the field of a fault already, or about a part of it, or about
// what it is a part of.
func (c *contents) mentioned(f catalog.Fault) bool {
	return slices.ContainsFunc(c.fields[f.File], func(field string) bool {
		return field == f.Field || strings.HasPrefix(field, f.Field+".") || strings.HasPrefix(f.Field, field+".")
	})
}

// said is what the library says of a value, without the value itself, which may be long.
func said(e jsonschema.KeyError) string {
	text, _, _ := strings.Cut(e.Message, ", got ")
	text, _, _ = strings.Cut(text, " mismatch on string:")
	return text
}

// schemas are those of the kinds of documents, compiled as they are needed.
type schemas map[string]*conformity

// A conformity checks documents by the library qri-io/jsonschema: the schemas are our own and plain, as it takes them.
// It keeps global tables, so nothing here runs at the same time.
type conformity struct{ root jsonschema.Schema }

func (all schemas) of(kind string) *conformity {
	if all[kind] == nil {
		all[kind] = new(conformity)
		text, err := docs.Schema(kind)
		if err == nil {
			err = json.Unmarshal(text, &all[kind].root)
		}
		if err != nil {
			panic(err) // it is embedded, and a test compiles all
		}
	}
	return all[kind]
}

// faults returns what is wrong with a document.
func (c *conformity) faults(document json.Value) []jsonschema.KeyError {
	var v any
	if err := json.Unmarshal(document, &v); err != nil {
		return nil // the server said so
	}
	return *c.root.Validate(context.Background(), withoutNulls(v)).Errs
}

// withoutNulls removes members that are null, which count as absent.
func withoutNulls(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = withoutNulls(v[i])
		}
	case map[string]any:
		for name, member := range v {
			if v[name] = withoutNulls(member); member == nil {
				delete(v, name)
			}
		}
	}
	return v
}
