package sdk

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/internal/uipage"
)

// uiScheme begins the URIs of user interfaces (AP-02).
const uiScheme = "ui://"

// resultWithUI answers mcp_result_with_ui: PAGE URI TEXT [DATA]. Clients that show no user
// interface use the text (AP-04). Without a URI it is the tool's own page, if it has one.
func resultWithUI(args []string) answer {
	r := toolResult{text: arg(args, 2), ui: cmp.Or(arg(args, 1), arg(args, 0))}
	if r.ui != "" && !strings.HasPrefix(r.ui, uiScheme) {
		return helperError(1, "%q is not the URI of a user interface; it must begin with ui://", r.ui)
	}
	if data := arg(args, 3); data != "" {
		v, ok := compact(data)
		if !ok || v.Kind() != '{' {
			return helperError(1, "the data is not a JSON object")
		}
		r.structured = v
	}
	return r.print()
}

// resultWithUIData answers mcp_result_with_ui_data: PAGE URI TEXT DATA.
func resultWithUIData(args []string) answer {
	if arg(args, 3) == "" {
		return helperError(1, "requires a URI, a text and a JSON object")
	}
	return resultWithUI(args)
}

// toolMetaWithUI answers mcp_tool_meta_with_ui: URI [VISIBILITY]. It prints the _meta of a tool
// that has a user interface (AP-03), visible to VISIBILITY: model, app, or both.
func toolMetaWithUI(args []string) answer {
	uri, visibility := arg(args, 0), cmp.Or(arg(args, 1), "model,app")
	if !strings.HasPrefix(uri, uiScheme) {
		return helperError(1, "%q is not the URI of a user interface; it must begin with ui://", uri)
	}
	who := strings.FieldsFunc(visibility, func(r rune) bool { return strings.ContainsRune(`[]", `, r) })
	for _, w := range who {
		if w != "model" && w != "app" {
			return helperError(1, "unknown visibility %q; use model, app, or model,app", visibility)
		}
	}
	return print(string(json.Object("ui", json.Object("resourceUri", uri, "visibility", who))))
}

// uiTable answers mcp_ui_table: JSON, an object with "rows", an array of objects or of arrays, and
// perhaps "title", "columns" and whatever else the config of a data-table has. It prints a page.
func uiTable(args []string) answer {
	o, ok := parseObject(json.Value(arg(args, 0)))
	rows := json.Elements(o.get("rows"))
	if !ok || rows == nil {
		return helperError(1, `a table needs {"rows":[...]}`)
	}
	config := o.without("rows")
	columns := json.Elements(o.get("columns"))
	named := columns != nil && !slices.ContainsFunc(columns, func(c json.Value) bool { return c.Kind() == '{' })
	if named && slices.ContainsFunc(rows, func(r json.Value) bool { return r.Kind() == '[' }) {
		// The template identifies the columns of arrays by number.
		names := texts(o.get("columns"))
		for i, name := range names {
			columns[i] = json.Object("key", strconv.Itoa(i), "label", name, "sortable", true)
		}
		for i, r := range rows {
			rows[i] = inOrder(r, names)
		}
		config = config.with("columns", json.Array(columns))
	}
	return page("data-table", config.with("data", json.Array(rows)))
}

// inOrder returns a row with its cells in the order of the columns.
func inOrder(row json.Value, columns []string) json.Value {
	o, ok := parseObject(row)
	if !ok {
		return row
	}
	cells := make([]json.Value, len(columns))
	for i, name := range columns {
		if cells[i] = o.get(name); cells[i] == nil {
			cells[i] = json.Value("null")
		}
	}
	return json.Array(cells)
}

// uiForm answers mcp_ui_form: JSON, an object with "fields", an array of {name, label, type, options,
// value, required}, and perhaps "title", "submit" and "tool", the tool that is called with what was
// filled in. It may have whatever else the config of a form has. It prints a page.
func uiForm(args []string) answer {
	o, ok := parseObject(json.Value(arg(args, 0)))
	fields := json.Elements(o.get("fields"))
	if !ok || fields == nil {
		return helperError(1, `a form needs {"fields":[...]}`)
	}
	for i, f := range fields {
		field, ok := parseObject(f)
		if !ok {
			continue // the template reports it, with its path
		}
		fields[i] = json.Value(fieldOf(field).value())
	}
	o = o.with("fields", json.Array(fields)).renamed("tool", "submitTool").renamed("submit", "submitLabel")
	return page("form", o)
}

// fieldOf returns a field in the form of the template. Types may be those of JSON Schema.
func fieldOf(field object) object {
	field = field.renamed("value", "default")
	if v := field.get("default"); v != nil && v.Kind() == 'n' {
		field = field.without("default")
	}
	kind := field.text("type")
	switch {
	case field.get("options") != nil:
		kind = "select"
	case kind == "string":
		kind = "text"
	case kind == "boolean":
		kind = "checkbox"
	case kind == "integer":
		kind = "number"
		if field.get("step") == nil {
			field = append(field, member{"step", json.Value("1")})
		}
	case field.get("type").Kind() != '"':
		return field
	}
	return field.with("type", json.Quote(kind))
}

func page(template string, config object) answer {
	text := config.value()
	if faults, err := uipage.Check(template, text); err == nil && len(faults) > 0 {
		return helperError(1, "%v", faults[0])
	}
	html, err := uipage.Page(template, "", text)
	if err != nil {
		return helperError(1, "%v", err)
	}
	return print(strings.TrimSuffix(string(html), "\n"))
}

func (o object) without(name string) object {
	return slices.DeleteFunc(slices.Clone(o), func(m member) bool { return m.name == name })
}

// renamed returns the object with a member renamed, unless the new name exists already.
func (o object) renamed(from, to string) object {
	value := o.get(from)
	if value == nil || o.get(to) != nil {
		return o
	}
	return append(o.without(from), member{to, value})
}

// texts returns the items of an array in readable form.
func texts(v json.Value) []string {
	var all []string
	for _, item := range json.Elements(v) {
		all = append(all, shown(item))
	}
	return all
}

// shown returns a JSON value in readable form.
func shown(v json.Value) string {
	if s, ok := unquote(v); ok {
		return s
	}
	if v.Kind() == 'n' {
		return ""
	}
	return string(v)
}
