package run_test

import (
	"context"
	stdjson "encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/catalog"
	"github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/internal/run"
	"github.com/mcp-bash/mcp-bash/v2/internal/sdk"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

var renderer = run.Renderer{
	Run: func(_ context.Context, p *catalog.Prompt, arguments map[string]string, _ sdk.Call) ([]byte, error) {
		if p.Name == "broken" {
			return nil, errors.New("exit code 3")
		}
		return []byte(arguments["print"]), nil
	},
	Read: func(_ context.Context, uri string) (json.RawMessage, error) {
		return json.RawMessage(`{"uri":"` + uri + `","mimeType":"text/plain","text":"read"}`), nil
	},
}

func render(t *testing.T, p *catalog.Prompt, arguments map[string]string) string {
	t.Helper()
	messages, err := renderer.Render(t.Context(), p, arguments, mcp.Latest(), sdk.Call{})
	if err != nil {
		return "error: " + err.Error()
	}
	b, err := stdjson.Marshal(messages)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestArgumentsAreFilledIntoATextInOnePass(t *testing.T) {
	path, usual := filepath.Join(t.TempDir(), "p.txt"), "usual {{code}}"
	for _, c := range []struct{ text, want string }{
		{"Review {{code}}!", "Review x={{other}}\\n\\\"q\\\"!"}, // the value is not looked at again
		{"{{ code }} {{\tcode\t}}", "x={{other}}\\n\\\"q\\\" x={{other}}\\n\\\"q\\\""},
		{"[{{optional}}] [{{empty}}] [{{usual}}]", "[{{optional}}] [] [usual {{code}}]"}, // declared, not given
		{"{{unknown}} {code} ${code} {{}}", "{{unknown}} {code} ${code} {{}}"},
		{"$(touch x) `id`", "$(touch x) `id`"},
	} {
		is := is.New(t)
		is.NoErr(os.WriteFile(path, []byte(c.text), 0o600))
		p := &catalog.Prompt{Role: "user", Path: path, Arguments: []catalog.Argument{{Name: "code", Default: &usual}, {Name: "optional"}, {Name: "empty", Default: new(string)}, {Name: "usual", Default: &usual}}}
		got := render(t, p, map[string]string{"code": "x={{other}}\n\"q\"", "other": "no"})
		is.Equal(got, `[{"role":"user","content":{"type":"text","text":"`+c.want+`"}}]`)
	}
}

func TestMessagesOfEveryKindAreFilled(t *testing.T) {
	is := is.New(t)
	p := &catalog.Prompt{Role: "user", Messages: json.Value(`[
		{"content":"Look at {{what}}"},
		{"role":"assistant","content":{"type":"text","text":"{{what}}?","annotations":{"priority":1.0}}},
		{"role":"user","content":[{"type":"image","data":"AA==","mimeType":"image/png"},{"type":"resource","resource":{"uri":"file:///{{what}}"}}]}]`)}
	is.Equal(render(t, p, map[string]string{"what": "it"}), `[{"role":"user","content":{"type":"text","text":"Look at it"}},`+
		`{"role":"assistant","content":{"type":"text","text":"it?","annotations":{"priority":1.0}}},`+
		`{"role":"user","content":{"type":"image","data":"AA==","mimeType":"image/png"}},`+
		`{"role":"user","content":{"type":"resource","resource":{"uri":"file:///it","mimeType":"text/plain","text":"read"}}}]`)
}

func TestAScriptPrintsATextOrMessages(t *testing.T) {
	for _, c := range []struct{ printed, want string }{
		{"plain {{x}}", `[{"role":"user","content":{"type":"text","text":"plain {{x}}"}}]`}, // already in its final form
		{`{"messages":[{"role":"assistant","content":"a"}]}`, `[{"role":"assistant","content":{"type":"text","text":"a"}}]`},
		{`[{"content":"a"}]`, `[{"role":"user","content":{"type":"text","text":"a"}}]`},
		{`{"a":1}`, `[{"role":"user","content":{"type":"text","text":"{\"a\":1}"}}]`},
		{`[{"role":"system","content":"a"}]`, `[{"role":"user","content":{"type":"text","text":"a"}}]`},
		{`[{"content":{"type":"video"}}]`, `error: message 0 of the prompt: /type must be text, image, audio, resource or resource_link`},
		{`[{"content":{"type":"resource","resource":{"uri":"x://y","blob":"?"}}}]`, `error: message 0 of the prompt: /resource/blob is not standard base64 with padding`}, // PR-05
		{`[{"content":{"type":"image","data":"AA==","mimeType":"image/png","_meta":5}}]`, `error: message 0 of the prompt: /_meta has the wrong type`},
	} {
		is := is.New(t)
		is.Equal(render(t, &catalog.Prompt{Role: "user", Executable: true}, map[string]string{"print": c.printed}), c.want)
	}
	is := is.New(t)
	is.Equal(render(t, &catalog.Prompt{Described: catalog.Described{Name: "broken"}, Executable: true}, nil), "error: exit code 3")
}
