package sdk

import (
	"fmt"
	"html"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// uiScheme begins the URIs of user interfaces (AP-02).
const uiScheme = "ui://"

// resultWithUI answers mcp_result_with_ui: PAGE URI TEXT [DATA]. Clients that show no user
// interface have the text (AP-04). Without a URI it is the tool's own page, if it has one.
func resultWithUI(args []string) answer {
	r := toolResult{text: arg(args, 2), ui: arg(args, 1)}
	if r.ui == "" {
		r.ui = arg(args, 0)
	}
	if r.ui != "" && !strings.HasPrefix(r.ui, uiScheme) {
		return trouble(1, "%q is not the URI of a user interface; it begins with ui://", r.ui)
	}
	if data := arg(args, 3); data != "" {
		v, ok := compact(data)
		if !ok || v.Kind() != '{' {
			return trouble(1, "the data is not a JSON object")
		}
		r.structured = v
	}
	return r.print()
}

// resultWithUIData answers mcp_result_with_ui_data: PAGE URI TEXT DATA.
func resultWithUIData(args []string) answer {
	if arg(args, 3) == "" {
		return trouble(1, "which data? Give a URI, a text and a JSON object")
	}
	return resultWithUI(args)
}

// toolMetaWithUI answers mcp_tool_meta_with_ui: URI [VISIBILITY]. It prints the _meta of a tool
// that has a user interface (AP-03), for whom VISIBILITY names: model, app, or both.
func toolMetaWithUI(args []string) answer {
	uri, visibility := arg(args, 0), arg(args, 1)
	if !strings.HasPrefix(uri, uiScheme) {
		return trouble(1, "%q is not the URI of a user interface; it begins with ui://", uri)
	}
	if visibility == "" {
		visibility = "model,app"
	}
	who := strings.FieldsFunc(visibility, func(r rune) bool { return strings.ContainsRune(`[]", `, r) })
	for _, w := range who {
		if w != "model" && w != "app" {
			return trouble(1, "%q is not who may see it; give model, app, or model,app", visibility)
		}
	}
	ui := object{{"resourceUri", quote(nil, uri)}, {"visibility", jsontext.Value(jsonArray(who).value)}}
	return print(string(object{{"ui", ui.append(nil)}}.append(nil)))
}

// uiTable answers mcp_ui_table: JSON, an object with "rows", an array of objects or of
// arrays, and perhaps "title" and "columns". It prints a page.
func uiTable(args []string) answer {
	o, ok := parseObject(jsontext.Value(arg(args, 0)))
	rows, isArray := parseArray(o.get("rows"))
	if !ok || !isArray {
		return trouble(1, `a table needs {"rows":[...]}`)
	}
	columns := texts(o.get("columns"))
	if columns == nil && len(rows) > 0 {
		first, _ := parseObject(rows[0])
		for _, m := range first {
			columns = append(columns, m.name)
		}
	}
	var b strings.Builder
	b.WriteString("<table>\n")
	if len(columns) > 0 {
		b.WriteString(row("th", columns))
	}
	for _, r := range rows {
		cells := texts(r)
		if o, ok := parseObject(r); ok {
			for _, name := range columns {
				cells = append(cells, shown(o.get(name)))
			}
		}
		b.WriteString(row("td", cells))
	}
	b.WriteString("</table>\n")
	return page(o, b.String())
}

// uiForm answers mcp_ui_form: JSON, an object with "fields", an array of {name, label,
// type, options, value, required}, and perhaps "title", "submit" and "tool", the tool that
// is called with what was filled in. It prints a page.
func uiForm(args []string) answer {
	o, ok := parseObject(jsontext.Value(arg(args, 0)))
	fields, isArray := parseArray(o.get("fields"))
	if !ok || !isArray {
		return trouble(1, `a form needs {"fields":[...]}`)
	}
	var b strings.Builder
	b.WriteString("<form>\n")
	for i, f := range fields {
		field, _ := parseObject(f)
		name, _ := field.text("name")
		if name == "" {
			return trouble(1, "field %d has no name", i)
		}
		b.WriteString(control(name, field))
	}
	submit, ok := o.text("submit")
	if !ok {
		submit = "Submit"
	}
	fmt.Fprintf(&b, "<button>%s</button>\n</form>\n", html.EscapeString(submit))
	if tool, _ := o.text("tool"); tool != "" {
		fmt.Fprintf(&b, submitScript, strings.ReplaceAll(string(quote(nil, tool)), "<", `\u003c`))
	}
	return page(o, b.String())
}

// submitScript calls a tool with the values of the form, as MCP Apps do: by a message to
// the page around.
const submitScript = `<script>
document.forms[0].addEventListener("submit", function (e) {
  e.preventDefault();
  var values = {};
  Array.prototype.forEach.call(this.elements, function (f) {
    if (!f.name) return;
    values[f.name] = f.type === "checkbox" ? f.checked : f.type === "number" ? Number(f.value) : f.value;
  });
  parent.postMessage({jsonrpc: "2.0", id: Date.now(), method: "tools/call", params: {name: %s, arguments: values}}, "*");
});
</script>
`

// control is a field of a form with its label.
func control(name string, field object) string {
	label, ok := field.text("label")
	if !ok {
		label = name
	}
	attributes := fmt.Sprintf(` name="%s"`, html.EscapeString(name))
	if field.get("required").Kind() == 't' {
		attributes += " required"
	}
	kind, _ := field.text("type")
	value := html.EscapeString(shown(field.get("value")))
	input := ""
	switch options := texts(field.get("options")); {
	case options != nil:
		for _, o := range options {
			input += "<option>" + html.EscapeString(o) + "</option>"
		}
		input = "<select" + attributes + ">" + input + "</select>"
	case kind == "textarea":
		input = "<textarea" + attributes + ">" + value + "</textarea>"
	case kind == "checkbox" || kind == "boolean":
		if value == "true" {
			attributes += " checked"
		}
		input = `<input type="checkbox"` + attributes + ">"
	default:
		if kind == "" || kind == "string" {
			kind = "text"
		}
		input = fmt.Sprintf(`<input type="%s"%s value="%s">`, html.EscapeString(kind), attributes, value)
	}
	return "<p><label>" + html.EscapeString(label) + " " + input + "</label></p>\n"
}

func row(tag string, cells []string) string {
	var b strings.Builder
	b.WriteString("<tr>")
	for _, c := range cells {
		b.WriteString("<" + tag + ">" + html.EscapeString(c) + "</" + tag + ">")
	}
	return b.String() + "</tr>\n"
}

// texts returns the items of an array as they are shown.
func texts(v jsontext.Value) []string {
	items, _ := parseArray(v)
	var all []string
	for _, item := range items {
		all = append(all, shown(item))
	}
	return all
}

// shown is a JSON value as people read it.
func shown(v jsontext.Value) string {
	if s, ok := unquote(v); ok {
		return s
	}
	if v.Kind() == 'n' {
		return ""
	}
	return string(v)
}

// page is an HTML document.
func page(about object, body string) answer {
	title, _ := about.text("title")
	heading := ""
	if title != "" {
		heading = "<h1>" + html.EscapeString(title) + "</h1>\n"
	}
	return print("<!DOCTYPE html>\n<meta charset=\"utf-8\">\n<title>" + html.EscapeString(title) + "</title>\n" +
		"<style>body{font-family:sans-serif}td,th{padding:.3em .6em;text-align:left;border-bottom:1px solid #ccc}</style>\n" +
		heading + strings.TrimSuffix(body, "\n"))
}
