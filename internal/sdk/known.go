package sdk

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/lazyregexp"
)

// These limits apply to the arguments that a tool gets in its environment, which is copied
// for each process that it starts.
const (
	maxKnownArgs = 8 << 10 // bytes of arguments that are considered
	maxKnown     = 4 << 10 // bytes of the result
	maxKnownText = 1 << 10 // bytes of one value
)

var (
	knownName    = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]{0,63}$`)
	plainInteger = lazyregexp.New(`^(0|-?[1-9][0-9]{0,14})$`)
)

// known returns shell code with the results of the filters .NAME, for arguments on which all
// versions of jq agree: strings, booleans and integers with plain names. The SDK asks the
// server for all others. The code sets _mcp_arg_NAME to the value, _mcp_is_NAME to its kind (t
// text, e empty text, b boolean, i integer), and _mcp_args to the filters.
func known(args json.RawMessage) string {
	if len(args) > maxKnownArgs {
		return ""
	}
	var members map[string]any
	d := json.NewDecoder(bytes.NewReader(args))
	d.UseNumber()
	if d.Decode(&members) != nil {
		return ""
	}
	var code, filters strings.Builder
	for _, name := range slices.Sorted(maps.Keys(members)) {
		kind, text := kindOf(members[name])
		if kind == "" || !knownName.Get().MatchString(name) || len(text) > maxKnownText || !isShellText(text) {
			continue
		}
		line := "_mcp_arg_" + name + "='" + strings.ReplaceAll(text, "'", `'\''`) + "' _mcp_is_" + name + "=" + kind + "\n"
		if code.Len()+filters.Len()+len(line)+len(name)+3 > maxKnown {
			break
		}
		code.WriteString(line)
		filters.WriteString(" ." + name + " ")
	}
	if code.Len() == 0 {
		return ""
	}
	return code.String() + "_mcp_args='" + filters.String() + "'"
}

// kindOf returns the kind of a value and how jq prints it; kind is "" if the server must be asked for it.
func kindOf(value any) (kind, text string) {
	switch v := value.(type) {
	case string:
		if v == "" {
			return "e", ""
		}
		return "t", v
	case bool:
		if v {
			return "b", "true"
		}
		return "b", "false"
	case json.Number:
		if plainInteger.Get().MatchString(v.String()) {
			return "i", v.String()
		}
	}
	return "", ""
}

// isShellText reports whether all shells keep a text unchanged in quotes.
func isShellText(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r == 0x7f })
}
