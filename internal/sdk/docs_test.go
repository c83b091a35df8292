package sdk

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

// manual is the page that explains the helpers.
const manual = "../../docs/SDK.md"

// An example is a part of the manual: a script, what it prints, and what the client gets.
type example struct {
	about, script, output, client string
}

// readManual returns its headings, its arguments and its examples.
func readManual(t *testing.T) (headings []string, args string, examples []example) {
	t.Helper()
	b, err := os.ReadFile(manual)
	if err != nil {
		t.Fatal(err)
	}
	block, about := "", ""
	for line := range strings.Lines(string(b)) {
		last := len(examples) - 1
		switch trimmed := strings.TrimSpace(line); {
		case strings.HasPrefix(trimmed, "```"):
			if block = strings.TrimPrefix(trimmed, "```"); block == "bash" {
				examples = append(examples, example{about: about})
			}
		case block == "bash":
			examples[last].script += line
		case block == "output":
			examples[last].output += line
		case block == "client":
			examples[last].client += line
		case block == "json":
			args += line
		case strings.HasPrefix(line, "#"):
			about = strings.TrimSpace(strings.TrimLeft(line, "#"))
			if strings.HasPrefix(line, "### ") {
				headings = append(headings, about)
			}
		}
	}
	return headings, args, examples
}

// user answers the questions in the examples.
func user(_ context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	switch method {
	case "sampling/createMessage":
		return json.RawMessage(`{"role":"assistant","content":{"type":"text","text":"Bonjour !"},"model":"m"}`), nil
	case "roots/list":
		return json.RawMessage(`{"roots":[{"uri":"file:///project"}]}`), nil
	}
	for fields, answer := range map[string]string{
		`"mode":"url"`: `{}`, `"name"`: `{"name":"Grace"}`, `"confirmed"`: `{"confirmed":true}`,
		`"small"`: `{"choice":"small"}`, `"const":"s"`: `{"choice":"s"}`, `"mon"`: `{"choices":["mon"]}`,
	} {
		if strings.Contains(string(params), fields) {
			return json.RawMessage(`{"action":"accept","content":` + answer + `}`), nil
		}
	}
	return nil, errors.New("the user does not understand the question")
}

func TestTheExamplesOfTheManualWork(t *testing.T) {
	_, args, examples := readManual(t)
	if len(examples) < 55 {
		t.Fatalf("found only %d examples", len(examples))
	}
	for _, e := range examples {
		t.Run(e.about, func(t *testing.T) {
			is := is.New(t)
			x := connected(nil)
			x.path = os.Getenv("PATH")
			x.call.Args, x.call.Meta = []byte(args), []byte(`{"progressToken":"t1"}`)
			x.call.Ask = each(user)
			x.call.Supports = func(capability string) bool { return capability == "sampling" || capability == "elicitation" }
			x.call.MissingCapability = true
			tell := func(method string, params any) error {
				b, err := json.Marshal(params)
				x.heard.add(`{"method":"notifications/%s","params":%s}`, method, b)
				return err
			}
			x.call.Progress = func(_ context.Context, p mcp.ProgressParams) error {
				return tell("progress", struct {
					Progress json.RawMessage `json:"progress"`
					Total    json.RawMessage `json:"total,omitempty"`
					Message  string          `json:"message"`
				}{p.Progress, p.Total, p.Message})
			}
			x.call.Log = func(_ context.Context, p mcp.LogParams) error { return tell("message", p) }
			project := ""
			x.call.Roots = func(context.Context) ([]string, error) { return []string{project}, nil }
			x.prepared = func(dir string) {
				var err error
				project, err = filepath.EvalSymlinks(dir)
				is.NoErr(err)
				is.NoErr(os.MkdirAll(filepath.Join(dir, "notes"), 0o700))
			}
			ended := x.run(t, e.script)
			is.Equal(strings.ReplaceAll(ended.stdout, project, "/project"), e.output)
			client := x.heard.String()
			if client != "" {
				client += "\n"
			}
			is.Equal(client, e.client)
			fails := strings.Contains(e.output, `{"code":`)
			is.Equal(ended.code != 0, fails)     // an example that ends the tool shows the error
			is.Equal(ended.fault != "", fails)   // which the server gets
			is.True(fails || ended.stderr == "") // the others print nothing on stderr
		})
	}
}

func TestTheLoopOfTheManualEndsGently(t *testing.T) {
	is := is.New(t)
	_, _, examples := readManual(t)
	at := slices.IndexFunc(examples, func(e example) bool { return e.about == "mcp_is_cancelled" })
	is.True(at >= 0)
	x := connected(nil)
	// A cancelled call has the file, and TERM for the tool and for the command that it runs.
	e := x.run(t, `sleep() { printf '' >"$MCP_CANCEL_FILE"; kill -TERM $$; /bin/sh -c 'kill -TERM $$'; }
`+examples[at].script+`
echo cleaned up`)
	is.Equal(e.stdout, "part 1\ncleaned up\n")
	is.Equal(e.code, 0)
}

var helper = regexp.MustCompile(`(?m)^(mcp_\w+)\(\)`)

func TestTheManualExplainsEveryHelper(t *testing.T) {
	headings, _, examples := readManual(t)
	helpers := map[string]bool{}
	for _, text := range scripts(t) {
		for _, m := range helper.FindAllStringSubmatch(text, -1) {
			helpers[m[1]] = true
		}
	}
	for name := range helpers {
		if !slices.Contains(headings, name) {
			t.Errorf("%s has no section %q", manual, "### "+name)
		}
		if !slices.ContainsFunc(examples, func(e example) bool { return e.about == name && strings.Contains(e.script, name) }) {
			t.Errorf("%s has no example of %s", manual, name)
		}
	}
	for _, heading := range headings {
		if !helpers[heading] {
			t.Errorf("%s explains %s, which is not there", manual, heading)
		}
	}
}

// The SDK has all helpers of its predecessor, and a few more.
func TestNoHelperIsMissing(t *testing.T) {
	is := is.New(t)
	all := ""
	for _, text := range scripts(t) {
		all += text
	}
	for _, name := range strings.Fields(`json_escape json_obj json_arr args_raw args_get meta_raw meta_get args_require args_bool args_int
		is_valid_json byte_length progress log log_debug log_info log_warn log_error debug is_cancelled with_retry run_with_progress
		extract_cli_error fail fail_invalid_args emit_text emit_json result_success result_error error result_text_with_resource
		json_truncate roots_list roots_count roots_contains require_path path_normalize path_collapse elicit elicit_url elicit_string
		elicit_confirm elicit_choice elicit_titled_choice elicit_multi_choice elicit_titled_multi_choice config_load config_get
		download_safe download_safe_or_fail client_supports_ui result_with_ui result_with_ui_data ui_form ui_table tool_meta_with_ui jq sample
		ask client_supports require_capability`) {
		is.True(strings.Contains(all, "\nmcp_"+name+"() ")) // it is defined
	}
}
