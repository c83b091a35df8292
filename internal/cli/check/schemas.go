package check

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/catalog"
	"github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/internal/schema"
)

// schemas reports what is valid in schemas of tools and prompts, but probably not meant like that, or refused by some
// clients.
func (c *contents) schemas() {
	for _, t := range c.tools {
		arguments := "inputSchema"
		if _, there := json.Find(t.Metadata, arguments); !there {
			arguments = "arguments" // its older name
		}
		c.lintSchema("tools", t.MetadataFile, t.Metadata, arguments, true)
		c.lintSchema("tools", t.MetadataFile, t.Metadata, "outputSchema", false)
	}
	for _, p := range c.prompts {
		c.lintSchema("prompts", p.MetadataFile, p.Metadata, "arguments", false)
	}
}

// lintSchema reports remarks on the schema in a field of the metadata of an entry.
func (c *contents) lintSchema(section, file string, metadata json.Value, field string, portable bool) {
	found, _ := json.Find(metadata, field)
	remarks := schema.Lint(found.Value, portable)
	if len(remarks) == 0 {
		return
	}
	d, at, ok := c.document(section, file, metadata)
	var faults []catalog.Fault
	for _, r := range remarks {
		f := catalog.Fault{File: c.project.Rel(file), Field: field + strings.ReplaceAll(r.Pointer, "/", "."),
			Reason: r.Reason, Hint: r.Hint, Warning: true}
		if ok {
			f = d.Fault(at+"/"+field+r.Pointer, r.Reason, r.Hint)
		}
		faults = append(faults, f)
	}
	c.addFaults(section, faults)
}

// document returns the document in a file that has the metadata of an entry, and the JSON pointer to that: the file may
// be register.json. The output of register.sh is not in a file.
func (c *contents) document(section, file string, metadata json.Value) (d catalog.Document, at string, ok bool) {
	if d, ok = c.project.Document(file); !ok || bytes.Equal(d.JSON(), metadata) {
		return d, "", ok
	}
	list, _ := json.Find(d.JSON(), section)
	for i, entry := range json.Elements(list.Value) {
		if bytes.Equal(entry, metadata) {
			return d, "/" + section + "/" + strconv.Itoa(i), true
		}
	}
	return d, "", false
}

// line returns the line of a file with the value that a JSON pointer leads to in the metadata of an entry, or the last
// one on the way to it; 0 if it is not known.
func (c *contents) line(section, file string, metadata json.Value, pointer string) int {
	d, at, ok := c.document(section, file, metadata)
	if !ok {
		return 0
	}
	return d.Fault(at+pointer, "", "").Line
}
