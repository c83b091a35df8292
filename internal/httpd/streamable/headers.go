package streamable

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// The names of headers.
const (
	SessionHeader     = "Mcp-Session-Id"
	VersionHeader     = "Mcp-Protocol-Version"
	LastEventHeader   = "Last-Event-ID"
	MethodHeader      = "Mcp-Method"
	NameHeader        = "Mcp-Name"
	ParamHeaderPrefix = "Mcp-Param-"
)

// checkHeaders checks that the headers of a stateless request agree with its body, as proxies may have
// routed it by its headers.
func checkHeaders(h http.Header, m *pipeline.Message, schema json.RawMessage) error {
	for _, header := range []string{VersionHeader, MethodHeader, NameHeader} {
		if n := len(h.Values(header)); n > 1 { // a proxy may have gone by another one than we do
			return repeated(header, n)
		}
	}
	version := mcp.ClaimedVersion(m.Params())
	if given := h.Get(VersionHeader); given == "" || version != "" && given != version {
		return mismatch(VersionHeader, given, version)
	}
	if given := h.Get(MethodHeader); given != m.Method() {
		return mismatch(MethodHeader, given, m.Method())
	}
	if member := named[m.Method()]; member != "" {
		var name string
		if json.Unmarshal(pipeline.Member(m.Params(), member), &name) != nil {
			return nil // the server answers with the reason
		}
		if given, ok := decoded(h.Get(NameHeader)); !ok || given != name {
			return mismatch(NameHeader, h.Get(NameHeader), name)
		}
	}
	if m.Method() == "tools/call" {
		return checkParams(h, m.Params(), schema)
	}
	return nil
}

// named maps the methods whose requests have a name in a header to the member of the params that has
// the same name.
var named = map[string]string{
	"tools/call": "name", "prompts/get": "name", "resources/read": "uri",
	"tasks/get": "taskId", "tasks/update": "taskId", "tasks/cancel": "taskId",
}

// mismatch is the error for a header that differs from the body.
func mismatch(header, given, want string) error {
	if given == "" {
		return pipeline.Errorf(mcp.CodeHeaderMismatch,
			"Header mismatch: the header %s is missing: it must have the value of the body, %q", header, want)
	}
	return pipeline.Errorf(mcp.CodeHeaderMismatch, "Header mismatch: the header %s has the value %q, the body %q", header,
		given, want)
}

// repeated is the error for a header that must occur once.
func repeated(header string, times int) error {
	return pipeline.Errorf(mcp.CodeHeaderMismatch, "Header mismatch: the header %s occurs %d times", header, times)
}

// These mark a value that is encoded as base64, as it could not be in a header otherwise.
const (
	encodedPrefix = "=?base64?"
	encodedSuffix = "?="
)

// decoded returns the value of a header, and whether it is legal.
func decoded(value string) (string, bool) {
	if middle, ok := strings.CutPrefix(value, encodedPrefix); ok {
		if middle, ok := strings.CutSuffix(middle, encodedSuffix); ok {
			b, err := base64.StdEncoding.DecodeString(middle)
			return string(b), err == nil && utf8.Valid(b)
		}
	}
	for i := range len(value) {
		if c := value[i]; (c < ' ' || c > '~') && c != '\t' {
			return "", false
		}
	}
	return value, true
}

// A property is the part of a tool's input schema that matters for headers.
type property struct {
	Header     *string             `json:"x-mcp-header"`
	Properties map[string]property `json:"properties"`
}

// checkParams checks that headers agree with the arguments that a tool wants in headers.
func checkParams(h http.Header, params, schema json.RawMessage) error {
	if len(schema) == 0 || !strings.Contains(string(schema), `"x-mcp-header"`) {
		return nil
	}
	var root property
	// What is of another type is left out, as a property whose schema is true or false; all else is read.
	if err := json.Unmarshal(schema, &root); err != nil && !errors.As(err, new(*json.UnmarshalTypeError)) {
		return nil
	}
	return root.check(h, pipeline.Member(params, "arguments"), "/arguments")
}

func (p property) check(h http.Header, value json.RawMessage, at string) error {
	for name, child := range p.Properties {
		argument, at := pipeline.Member(value, name), at+"/"+name
		if child.Header != nil {
			if err := child.checkHeader(h, argument, at); err != nil {
				return err
			}
		}
		if err := child.check(h, argument, at); err != nil {
			return err
		}
	}
	return nil
}

func (p property) checkHeader(h http.Header, argument json.RawMessage, at string) error {
	header := ParamHeaderPrefix + *p.Header
	values := h.Values(header)
	if len(argument) == 0 || string(argument) == "null" {
		if len(values) > 0 {
			return pipeline.Errorf(mcp.CodeHeaderMismatch, "Header mismatch: the header %s has a value, and %s has none", header,
				at)
		}
		return nil
	}
	want := strings.Trim(string(argument), " \t\r\n")
	var text string
	isText := json.Unmarshal(argument, &text) == nil
	if isText {
		want = text
	}
	if len(values) == 0 {
		return mismatch(header, "", want)
	}
	given, ok := decoded(values[0])
	switch {
	case len(values) > 1:
		return repeated(header, len(values))
	case !ok:
		return pipeline.Errorf(mcp.CodeHeaderMismatch,
			"Header mismatch: the header %s has invalid characters, or invalid base64", header)
	case given == want || !isText && equalNumbers(given, want):
		return nil
	}
	return mismatch(header, given, want)
}

// equalNumbers reports whether two texts are JSON numbers of the same value, as 42 and 4.2e1. It does not
// calculate the values: a short text with an exponent can be a huge number.
func equalNumbers(a, b string) bool {
	one, ok := parseNumber(a)
	other, also := parseNumber(b)
	return ok && also && one == other
}

// A number is the value of a JSON number, which has exactly one such form.
type number struct {
	negative bool
	digits   string // without zeros at its ends; empty: 0
	exponent int64  // of 10, by which the digits are multiplied
}

var numberParts = regexp.MustCompile(`^(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$`)

// parseNumber returns the value of a JSON number. Exponents beyond 32 bits are refused.
func parseNumber(text string) (number, bool) {
	parts := numberParts.FindStringSubmatch(text)
	if parts == nil {
		return number{}, false
	}
	exponent, err := strconv.ParseInt(cmp.Or(parts[4], "0"), 10, 32)
	if err != nil {
		return number{}, false
	}
	significant := strings.TrimLeft(parts[2]+parts[3], "0")
	digits := strings.TrimRight(significant, "0")
	if digits == "" {
		return number{}, true
	}
	return number{
		negative: parts[1] != "",
		digits:   digits,
		exponent: exponent - int64(len(parts[3])) + int64(len(significant)-len(digits)),
	}, true
}

// errUnacceptable returns the error for a client that does not accept the response's media types.
func errUnacceptable(types ...string) error {
	return fmt.Errorf("%w: the Accept header must list %s", pipeline.ErrInvalidRequest, strings.Join(types, " or "))
}

// accepts reports whether an Accept header lists a media type. Without the header any type is accepted
// (RFC 9110, section 12.5.1).
func accepts(h http.Header, mediaType string) bool {
	if strings.TrimSpace(strings.Join(h.Values("Accept"), "")) == "" {
		return true
	}
	kind, _, _ := strings.Cut(mediaType, "/")
	for _, line := range h.Values("Accept") {
		for one := range strings.SplitSeq(line, ",") {
			one, parameters, _ := strings.Cut(one, ";")
			switch strings.ToLower(strings.TrimSpace(one)) {
			case mediaType, kind + "/*", "*/*":
				if q := strings.ReplaceAll(parameters, " ", ""); q != "q=0" && q != "q=0.0" {
					return true
				}
			}
		}
	}
	return false
}
