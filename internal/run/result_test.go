package run

import (
	stdjson "encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/matryer/is"
	"github.com/sourcegraph/jsonrpc2"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

func TestTextOnStdoutIsTheResult(t *testing.T) {
	is := is.New(t)
	got := run(t, "#!/bin/sh\necho hello")
	is.Equal(got, `{"content":[{"type":"text","text":"hello\n"}],"isError":false,"_meta":{"exitCode":0}}`)
}

func TestAJSONObjectOnStdoutIsAlsoStructuredContent(t *testing.T) {
	is := is.New(t)
	got := run(t, `#!/bin/sh
echo '{"n": 12345678901234567890, "b":1.0}'`)
	// Numbers are as they were.
	is.Equal(got, `{"content":[{"type":"text","text":"{\"n\": 12345678901234567890, \"b\":1.0}\n"}],`+
		`"structuredContent":{"n":12345678901234567890,"b":1.0},"isError":false,"_meta":{"exitCode":0}}`)
}

func TestOtherJSONIsText(t *testing.T) {
	is := is.New(t)
	is.Equal(run(t, "#!/bin/sh\necho '[1,2]'"),
		`{"content":[{"type":"text","text":"[1,2]\n"}],"isError":false,"_meta":{"exitCode":0}}`)
}

func TestOlderRevisionsGetNoStructuredContent(t *testing.T) {
	is := is.New(t)
	old := func(c *Call) { c.Revision = mcp.Negotiate("2025-03-26") }
	is.Equal(run(t, `#!/bin/sh
echo '{"a":1}'`, old), `{"content":[{"type":"text","text":"{\"a\":1}\n"}],"isError":false,"_meta":{"exitCode":0}}`)
}

func TestAFailureTellsTheLastLineOfStderrAndKeepsTheOutput(t *testing.T) {
	is := is.New(t)
	got := run(t, "#!/bin/sh\necho partial\necho chatter >&2\necho no such host >&2\nexit 3")
	is.Equal(got, `{"content":[{"type":"text","text":"Tool failed: no such host"},{"type":"text","text":"partial\n"}],`+
		`"isError":true,"_meta":{"exitCode":3,"stderr":"chatter\nno such host\n"}}`)
}

func TestAFailureWithoutStderrTellsTheExitCode(t *testing.T) {
	is := is.New(t)
	is.Equal(run(t, "#!/bin/sh\nexit 7"),
		`{"content":[{"type":"text","text":"Tool failed: exit code 7"}],"isError":true,"_meta":{"exitCode":7}}`)
}

func TestStderrIsToldOnSuccessToo(t *testing.T) {
	is := is.New(t)
	is.Equal(run(t, "#!/bin/sh\necho careful >&2"),
		`{"content":[{"type":"text","text":""}],"isError":false,"_meta":{"exitCode":0,"stderr":"careful\n"}}`)
}

func TestAWellFormedResultOnStdoutIsPassedOn(t *testing.T) {
	is := is.New(t)
	got := run(t, `#!/bin/sh
echo '{"content":[{"type":"text","text":"no"},{"type":"image","data":"AA==","mimeType":"image/png"}],`+
		`"isError":true,"_meta":{"mine":1}}'
exit 1`)
	is.Equal(got, `{"content":[{"type":"text","text":"no"},{"type":"image","data":"AA==","mimeType":"image/png"}],`+
		`"isError":true,"_meta":{"exitCode":1,"mine":1}}`)
}

func TestBlocksThatARevisionDoesNotKnowBecomeText(t *testing.T) {
	is := is.New(t)
	old := func(c *Call) { c.Revision = mcp.Negotiate("2024-11-05") }
	got := run(t, `#!/bin/sh
echo '{"content":[{"type":"resource_link","uri":"file:///a","name":"a"}],"isError":false}'`, old)
	is.Equal(got, `{"content":[{"type":"text","text":"a: file:///a"}],"isError":false,"_meta":{"exitCode":0}}`)
}

func TestABlockThatClientsCannotReadIsAFailureThatSaysWhatIsWrong(t *testing.T) {
	for _, c := range []struct{ output, why string }{
		{`{"content":[{"type":"text","text":"a"},{"type":"resource","resource":{"uri":"file:///a"}}]}`,
			"/content/1/resource must have either text or blob"},
		{`{"content":[{"type":"image","data":"AA","mimeType":"image/png"}]}`,
			"/content/0/data is not standard base64 with padding"}, // T-25
		{`{"content":[{"type":"text","text":"a","annotations":{"priority":7}}]}`,
			"/content/0/annotations/priority must be from 0 to 1"},
		{`{"content":[{"type":"text","text":"a"}],"_meta":5}`, "/_meta must be an object"},
		{`{"content":[{"type":"text","text":"a"}],"isError":"no"}`, "/isError must be a boolean"},
		{`{"content":["a"],"isError":false}`, "/content/0 must be an object"},
		{`{"content":[{"type":"video"}],"structuredContent":{}}`,
			"/content/0/type must be text, image, audio, resource or resource_link"},
	} {
		t.Run(c.why, func(t *testing.T) {
			is := is.New(t)
			want, err := stdjson.Marshal(c.output + "\n")
			is.NoErr(err)
			is.Equal(run(t, "#!/bin/sh\ncat <<'E'\n"+c.output+"\nE"),
				`{"content":[{"type":"text","text":"The tool wrote a result that clients cannot read: `+c.why+`"},`+
					`{"type":"text","text":`+string(want)+`}],"isError":true,"_meta":{"exitCode":0}}`)
		})
	}
}

func TestJSONThatOnlyLooksLikeAResultIsOutput(t *testing.T) {
	for _, output := range []string{
		`{"content":[{"type":"paragraph","content":[]}]}`,
		`{"content":[{"type":"text","text":"a"},{"type":"hardBreak"}]}`,
		`{"content":["a"]}`,
		`{"content":[]}`,
		`{"content":"a","isError":true}`,
	} {
		t.Run(output, func(t *testing.T) {
			is := is.New(t)
			got := run(t, "#!/bin/sh\ncat <<'E'\n"+output+"\nE")
			is.True(strings.Contains(got, `"structuredContent":`+output+`,"isError":false,`))
		})
	}
}

func TestOutputOverTheLimitIsCutAndTold(t *testing.T) {
	is := is.New(t)
	small := func(c *Call) { c.Tool.MaxOutputBytes = 4 }
	got := run(t, "#!/bin/sh\nprintf 'abcédef'", small)
	is.Equal(got, `{"content":[`+
		`{"type":"text","text":"Tool output is too large: 8 bytes, of which the first 3 follow"},`+
		`{"type":"text","text":"abc"}],`+
		`"isError":true,"_meta":{"exitCode":0,"keptBytes":3,"outputBytes":8}}`) // cut before é
}

func TestEightMebibytesWithoutANewlineArrive(t *testing.T) {
	is := is.New(t)
	got := run(t, "#!/bin/sh\nhead -c 8388608 /dev/zero | tr '\\000' x")
	is.True(strings.Contains(got, strings.Repeat("x", 8<<20))) // all of it
}

func TestWithAnOutputSchemaTheOutputMustSatisfyIt(t *testing.T) {
	schema := func(c *Call) {
		c.Tool.OutputSchema = json.Value(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`)
	}
	for _, c := range []struct{ script, want string }{
		{`echo '{"n":1}'`, `{"content":[{"type":"text","text":"{\"n\":1}"}],` +
			`"structuredContent":{"n":1},"isError":false,"_meta":{"exitCode":0}}`},
		{`echo '{"content":[{"type":"text","text":"one"}],"structuredContent":{"n":1}}'`,
			`{"content":[{"type":"text","text":"one"}],` +
				`"structuredContent":{"n":1},"isError":false,"_meta":{"exitCode":0}}`},
		{`echo '{"content":[{"type":"text","text":"sorry"}],"isError":true}'`,
			`{"content":[{"type":"text","text":"sorry"}],"isError":true,"_meta":{"exitCode":0}}`},
		{`true`, `the script printed nothing`},
		{`echo text`, `the output is not JSON`},
		{`echo '{"n":"one"}'`, `at /n:`},
		{`echo '{"content":[],"structuredContent":{}}'`, `does not satisfy its outputSchema`},
	} {
		is := is.New(t)
		got := run(t, "#!/bin/sh\n"+c.script, schema)
		if strings.HasPrefix(c.want, "{") {
			is.Equal(got, c.want)
		} else {
			is.True(strings.Contains(got, c.want))           // says where it fails
			is.True(strings.Contains(got, `"isError":true`)) // as an error
		}
	}
}

func TestTheErrorFileIsAJSONRPCError(t *testing.T) {
	for _, c := range []struct{ written, want string }{
		{`{"code":-32099,"message":"boom","data":{"a":1}}`, `{"code":-32099,"message":"boom","data":{"a":1}}`},
		{`{"message":"no code"}`, `{"code":-32603,"message":"Tool failed","data":"{\"message\":\"no code\"}"}`},
		{`gone wrong`, `{"code":-32603,"message":"Tool failed","data":"gone wrong"}`},
	} {
		is := is.New(t)
		r := newRuntime(t)
		call := new(heard).call(newTool(t, r, "#!/bin/sh\ncat >\"$MCP_TOOL_ERROR_FILE\" <<'E'\n"+c.written+"\nE\nexit 1"))
		_, err := r.Call(t.Context(), call)
		var e *jsonrpc2.Error
		is.True(errors.As(err, &e)) // an error of the protocol
		got, _ := stdjson.Marshal(e)
		is.Equal(string(got), c.want)
	}
}
