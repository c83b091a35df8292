package sdk

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/internal/lazyregexp"
)

// defaultTruncate is the default size of mcp_json_truncate in bytes.
const defaultTruncate = 100 << 10

// truncate answers mcp_json_truncate: JSON [MAX] [--array-path .a.b]. It drops items from
// the end of one array until the JSON has at most max bytes: the array at the path, the
// JSON itself, or its member "results".
func truncate(args []string) answer {
	n := 1
	if len(args) > 1 && !strings.HasPrefix(args[1], "--") {
		n = 2
	}
	g, err := spec{"--array-path": 1}.parse(args, n)
	if err != nil {
		return helperError(1, "%v", err)
	}
	limit := defaultTruncate
	if text := arg(g.args, 1); text != "" {
		if limit, err = strconv.Atoi(text); err != nil || limit < 0 {
			return helperError(1, "%q is not a number of bytes", text)
		}
	}
	v, ok := compact(arg(g.args, 0))
	if !ok {
		return notTruncated("invalid_json", "the input is not one JSON value")
	}
	path, given := g.value("--array-path")
	if given && !arrayPath.Get().MatchString(path) {
		return notTruncated("invalid_path_syntax", fmt.Sprintf("%q is not a path; write it as .a.b, or . for the whole value",
			path))
	}
	names := []string{}
	switch {
	case given:
		names = strings.FieldsFunc(path, func(r rune) bool { return r == '.' })
	case v.Kind() == '{':
		names = append(names, "results")
	}
	items, fault := find(v, names)
	switch {
	case given && fault != nil: // even if nothing has to be dropped
		return *fault
	case len(v) <= limit:
		return print(string(json.Object("result", v, "truncated", false)))
	case fault != nil:
		return notTruncated("output_too_large", fmt.Sprintf("%d bytes are more than %d, and no array was found to shorten; "+
			"name one with --array-path", len(v), limit))
	}
	size := len(inside(v, names, json.Value("[]")))
	kept := 0
	for ; kept < len(items); kept++ {
		if size += len(items[kept]) + min(kept, 1); size > limit { // with a comma before all but the first
			break
		}
	}
	if kept == 0 {
		return notTruncated("output_too_large", fmt.Sprintf("not even the first of %d items fits into %d bytes", len(items),
			limit))
	}
	result := inside(v, names, json.Array(items[:kept]))
	return print(string(json.Object("result", result, "truncated", true, "kept", kept, "total", len(items))))
}

var arrayPath = lazyregexp.New(`^(\.|(\.[A-Za-z_][A-Za-z0-9_]*)+)$`)

// find returns the items of the array at a path of names, or the answer that explains why there is none.
func find(v json.Value, names []string) (items []json.Value, fault *answer) {
	for i, name := range names {
		o, isObject := parseObject(v)
		if v = o.get(name); v == nil || !isObject {
			fault := notTruncated("path_not_found", fmt.Sprintf(".%s does not exist", strings.Join(names[:i+1], ".")))
			return nil, &fault
		}
	}
	if items = json.Elements(v); items == nil {
		fault := notTruncated("invalid_array_path", fmt.Sprintf(".%s is not an array", strings.Join(names, ".")))
		return nil, &fault
	}
	return items, nil
}

// inside returns v with another value at a path of names.
func inside(v json.Value, names []string, value json.Value) json.Value {
	if len(names) == 0 {
		return value
	}
	o, _ := parseObject(v)
	return o.with(names[0], inside(o.get(names[0]), names[1:], value)).value()
}

// notTruncated is the answer if nothing could be truncated. The helper returns 0:
// callers check .error.
func notTruncated(kind, message string) answer {
	return print(string(json.Object(
		"result", json.Value("null"),
		"truncated", false,
		"error", json.Object("type", kind, "message", message),
	)))
}
