package sdk

import (
	"cmp"
	"slices"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

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
	if inner, ok := parseObject(e); ok {
		if s := inner.text("message"); s != "" {
			return s
		}
	}
	if s := json.Text(e); s != "" {
		return s
	}
	failed := slices.ContainsFunc([]string{"success", "ok"}, func(name string) bool { return o.get(name).Kind() == 'f' })
	if status := o.text("status"); failed || status == "error" {
		if s := o.text("message"); s != "" {
			return s
		}
	}
	if all := json.Elements(o.get("errors")); len(all) > 0 {
		if first, ok := parseObject(all[0]); ok {
			s := first.text("message")
			return s
		}
	}
	return ""
}
