package catalog

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-bash/mcp-bash/v2/internal/madetest"
)

// documents are the tables of the documents that have a schema in docs/schema.
func documents() map[string]tabled {
	return map[string]tabled{
		"tool":              {"A tool of an mcp-bash project", rowsOf(toolFields())},
		"prompt":            {"A prompt of an mcp-bash project", rowsOf(promptFields())},
		"resource":          {"A resource of an mcp-bash project", rowsOf(resourceFields())},
		"resource-template": {"A resource template of an mcp-bash project", rowsOf(templateFields())},
		"completion":        {"A script of an mcp-bash project that completes arguments", rowsOf(completerFields())},
		"server":            {"The server of an mcp-bash project", rowsOf(serverFields)},
		"interceptor":       {"An interceptor of an mcp-bash project", rowsOf(interceptorFields())},
		"ui":                {"A user interface of an mcp-bash project", rowsOf(interfaceFields())},
	}
}

// A tabled document is what is said of all documents of a kind.
type tabled struct {
	title string
	rows  []row
}

func rowsOf[E any](all fields[E]) (rows []row) {
	for _, f := range all {
		rows = append(rows, f.row)
	}
	return rows
}

// markdownLink matches a link, of which a plain text keeps the words.
var markdownLink = regexp.MustCompile(`:? ?\[(below|[A-Z.]+|examples[^\]]*)\]\([^)]*\)|\[([^\]]*)\]\([^)]*\)`)

// object is the schema of a document, without its braces.
func (d tabled) object(registered bool) string {
	var properties, required []string
	add := func(name, schema, about string) {
		if about != "" {
			text, _ := json.Marshal(strings.ReplaceAll(markdownLink.ReplaceAllString(about, "$2"), "`", ""))
			schema = `"description":` + string(text) + "," + schema
		}
		properties = append(properties, fmt.Sprintf("%q:{%s}", name, schema))
	}
	if !registered {
		add("$schema", `"type":"string"`, "")
	}
	for _, r := range d.rows {
		if r.registered && !registered {
			continue
		}
		about := r.is
		if r.absent != "" && r.absent != "none" && r.absent != "required" {
			about = strings.TrimPrefix(about+"; by default: "+r.absent, "; ")
		}
		add(r.name, r.schema, about)
		if r.older != "" {
			add(r.older, r.schema, "the older name of "+r.name)
		}
		if r.required || registered && r.name == "name" {
			required = append(required, fmt.Sprintf("%q", r.name))
		}
	}
	text := `"type":"object","properties":{` + strings.Join(properties, ",") + "}"
	if required != nil {
		text += `,"required":[` + strings.Join(required, ",") + "]"
	}
	return text
}

const schemaDraft = `"$schema":"http://json-schema.org/draft-07/schema#",`

// registerSchema is the schema of register.json.
func registerSchema(all map[string]tabled) string {
	var lists, parts []string
	for k := range kindCount {
		name := [...]string{"tool", "resource", "resource-template", "prompt", "completion", "interceptor"}[k]
		parts = append(parts, fmt.Sprintf(`%q:{%s}`, name, all[name].object(true)))
		lists = append(lists, fmt.Sprintf(`%q:{"type":["array","null"],"items":{"$ref":"#/$defs/%s"}}`, kinds[k].key, name))
	}
	return `{` + schemaDraft + `"title":"What an mcp-bash project lists by hand","type":"object","required":["version"],` +
		`"additionalProperties":false,"properties":{"$schema":{"type":"string"},"version":{"const":1},"_meta":{"type":"object"},` +
		strings.Join(lists, ",") + `},"$defs":{` + strings.Join(parts, ",") + "}}"
}

func TestTheSchemasOfDocumentsAreWhatIsRead(t *testing.T) {
	all := documents()
	madetest.File(t, "../../docs/schema/register.json", indented(t, registerSchema(all)))
	for name, d := range all {
		text := fmt.Sprintf(`{%s"title":%q,%s}`, schemaDraft, d.title, d.object(false))
		madetest.File(t, "../../docs/schema/"+name+".json", indented(t, text))
	}
}

func indented(t *testing.T, text string) string {
	t.Helper()
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(json.RawMessage(text)); err != nil {
		t.Fatal(err, text)
	}
	return b.String()
}

func TestThePageAboutProjectsSaysWhatFieldsThereAre(t *testing.T) {
	common := rowsOf(describedFields)
	names := make(map[string]bool)
	for _, r := range common {
		names[r.name] = true
	}
	for name, d := range documents() {
		rows := slices.DeleteFunc(slices.Clone(d.rows), func(r row) bool {
			return r.registered || r.is == "" ||
				names[r.name] && name != "server"
		})
		tableInPage(t, name, rows)
	}
	tableInPage(t, "all", append([]row{{name: "name", is: "string; its name",
		absent: "that of the file without its extension, or of the folder"}}, common...))
}

// tableInPage holds the table of rows against that in docs/PROJECT.md.
func tableInPage(t *testing.T, name string, rows []row) {
	t.Helper()
	table := "| field | type | default |\n|---|---|---|\n"
	for _, r := range rows {
		field := "`" + r.name + "`"
		if r.older != "" {
			field += " (or `" + r.older + "`)"
		}
		table += "| " + field + " | " + r.is + " | " + r.absent + " |\n"
	}
	madetest.Part(t, "../../docs/PROJECT.md", "fields of "+name, table)
}
