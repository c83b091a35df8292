package sdk

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

// Codes of JSON-RPC.
const (
	codeInvalidParams = -32602
	codeInternal      = -32603
)

// invalid ends the tool: the arguments of the call are invalid.
func invalid(message string) answer { return failure(codeInvalidParams, message, nil) }

// failure ends the tool with a JSON-RPC error.
func failure(code int, message string, data json.Value) answer {
	return answer{fatal, 1, string(json.Object("code", code, "message", message, "data", data)) + "\n" + message}
}

// fail answers mcp_fail: CODE [MESSAGE] [DATA]. Data that is not JSON becomes a string.
func fail(args []string) answer {
	code, err := strconv.Atoi(arg(args, 0))
	if err != nil {
		code = codeInternal
	}
	var data json.Value
	if text := arg(args, 2); text != "" {
		data = orText(text)
	}
	return failure(code, cmp.Or(arg(args, 1), "Tool failed"), data)
}

// orText returns text as it is if it is JSON, else as a JSON string.
func orText(text string) json.Value {
	if v, ok := compact(text); ok {
		return v
	}
	return json.Quote(text)
}

func emitJSON(args []string) answer {
	v, ok := compact(arg(args, 0))
	if !ok {
		return helperError(1, "that is not JSON")
	}
	return print(string(v))
}

// ownResult answers the operation of SDKs that build a CallToolResult themselves: JSON. It is printed
// without white space.
func ownResult(args []string) answer {
	v, ok := compact(arg(args, 0))
	if !ok || v.Kind() != '{' {
		return helperError(1, "the result is not a JSON object")
	}
	return print(string(v))
}

// A toolResult is a CallToolResult. Structured is an object or nil.
type toolResult struct {
	text       string
	structured json.Value
	isError    bool
	ui         string // the URI of its user interface, if it has one
}

func (r toolResult) print() answer {
	var meta json.Value
	if r.ui != "" {
		meta = json.Object("ui", json.Object("resourceUri", r.ui))
	}
	content := json.Array([]json.Value{json.Value(mcp.Text(r.text).JSON())})
	return print(string(json.Object("content", content, "structuredContent", r.structured,
		"isError", r.isError, "_meta", meta)))
}

// maxSummary is how much of a long text is shown in a summary.
const maxSummary = 100

// resultSuccess answers mcp_result_success: DEFAULT JSON [MAX]. Text longer than max bytes
// is replaced by a summary; the structured content is complete.
func resultSuccess(args []string) answer {
	text := cmp.Or(arg(args, 2), arg(args, 0))
	limit, err := strconv.Atoi(text)
	if err != nil || limit < 0 {
		return helperError(1, "%q is not a number of bytes", text)
	}
	return success(arg(args, 1), limit).print()
}

func success(text string, limit int) toolResult {
	v, ok := compact(text)
	if !ok {
		why := "is not one JSON value"
		if strings.TrimSpace(text) == "" {
			why = "is empty"
		}
		return errorResult(problem("invalid_json", "the result "+why))
	}
	r := toolResult{structured: json.Object("success", true, "result", v)}
	if r.text = string(r.structured); len(v) > limit {
		r.text = summary(v)
	}
	return r
}

func summary(v json.Value) string {
	if a := json.Elements(v); a != nil {
		return fmt.Sprintf("Success: array with %d items", len(a))
	}
	if o, ok := parseObject(v); ok {
		return fmt.Sprintf("Success: object with %d keys", len(o))
	}
	if s, ok := unquote(v); ok {
		v = json.Value(s)
	}
	if characters := []rune(string(v)); len(characters) > maxSummary {
		return string(characters[:maxSummary]) + "…"
	}
	return string(v)
}

// resultError answers mcp_result_error: JSON. A value that is not an object is wrapped in one.
func resultError(args []string) answer {
	text := strings.ToValidUTF8(arg(args, 0), "\ufffd")
	o, ok := object(nil), false
	if v, valid := compact(text); valid {
		o, ok = parseObject(v)
	}
	if !ok {
		o = problem("internal_error", "the tool failed with an error that is not a JSON object").with("raw", orText(text))
	}
	return errorResult(o).print()
}

func problem(kind, message string) object {
	return object{{"type", json.Quote(kind)}, {"message", json.Quote(message)}}
}

func errorResult(o object) toolResult {
	o = completed(o)
	return toolResult{
		text:       shown(o.get("message")),
		structured: json.Object("success", false, "error", o.value()),
		isError:    true,
	}
}

// completed adds the type and the message to an error that lacks them.
func completed(o object) object {
	if shown(o.get("type")) == "" {
		o = o.with("type", json.Quote("internal_error"))
	}
	if shown(o.get("message")) == "" {
		o = o.with("message", json.Quote("the tool failed"))
	}
	return o
}

// errorLogger is the logger for errors that are also returned as results.
const errorLogger = "mcp.tool"

// error answers mcp_error: TYPE MESSAGE [--hint H] [--data JSON].
func (c *Channel) error(ctx context.Context, args []string) answer {
	g, err := spec{"--hint": 1, "--data": 1}.parse(args, 2)
	if err != nil {
		return helperError(1, "%v", err)
	}
	o := problem(arg(g.args, 0), arg(g.args, 1))
	level := mcp.Debug
	if hint, ok := g.value("--hint"); ok && hint != "" {
		o = o.with("hint", json.Quote(hint))
		level = mcp.Warning
	}
	if data, ok := g.value("--data"); ok && data != "" {
		o = o.with("data", orText(data))
	}
	o = completed(o)
	if c.call.Log != nil {
		// The result is returned even if the log message cannot be sent.
		_ = c.call.Log(ctx, mcp.LogParams{Level: level, Logger: errorLogger, Data: json.RawMessage(o.value())})
	}
	return errorResult(o).print()
}

// resultText answers mcp_result_text_with_resource: MAX DATA. JSON becomes a result as
// with mcp_result_success, any other text a text.
func resultText(args []string) answer {
	if isOneValue(arg(args, 1)) {
		return resultSuccess(args)
	}
	return toolResult{text: arg(args, 1)}.print()
}

// resources prints what goes into MCP_TOOL_RESOURCES_FILE: [--path P [--mime M]
// [--uri U]]...
func resources(args []string) answer {
	g, err := spec{"--path": 1, "--mime": 1, "--uri": 1}.parse(args, 0)
	if err != nil {
		return helperError(1, "%v", err)
	}
	var files []object
	for _, o := range g.options {
		if o.name == "--path" {
			files = append(files, nil)
		} else if len(files) == 0 {
			return helperError(1, "%s needs a --path before it", o.name)
		}
		last := len(files) - 1
		name := map[string]string{"--path": "path", "--mime": "mimeType", "--uri": "uri"}[o.name]
		files[last] = files[last].with(name, json.Quote(o.values[0]))
	}
	all := make([]json.Value, len(files))
	for i, f := range files {
		all[i] = f.value()
	}
	return print(string(json.Array(all)))
}

// cliError answers mcp_extract_cli_error: STDOUT STDERR CODE. Command line programs put
// their error into JSON in several ways; the first that is found is used, then stderr, then
// the exit code.
func cliError(args []string) answer {
	if o, ok := parseObject(json.Value(arg(args, 0))); ok {
		if message := messageIn(o); message != "" {
			return print(message)
		}
	}
	if text := strings.TrimSpace(arg(args, 1)); text != "" {
		return print(text)
	}
	return print("CLI exited with code " + cmp.Or(arg(args, 2), "1"))
}

func messageIn(o object) string {
	e := o.get("error")
	inner, _ := parseObject(e)
	if s := cmp.Or(inner.text("message"), json.Text(e)); s != "" {
		return s
	}
	failed := slices.ContainsFunc([]string{"success", "ok"}, func(name string) bool { return o.get(name).Kind() == 'f' })
	if failed || o.text("status") == "error" {
		if s := o.text("message"); s != "" {
			return s
		}
	}
	if all := json.Elements(o.get("errors")); len(all) > 0 {
		first, _ := parseObject(all[0])
		return first.text("message")
	}
	return ""
}
