package sdk

import (
	"slices"
	"testing"

	"github.com/matryer/is"
)

// having returns a client with some capabilities.
func having(capabilities ...string) func(string) bool {
	return func(one string) bool { return slices.Contains(capabilities, one) }
}

func TestAToolAsksWhatTheClientCanDo(t *testing.T) {
	runOps(t, channelOf(Call{Supports: having("sampling", "ui")}), []opTest{
		{"client_supports", []string{"sampling"}, "code 0"},
		{"client_supports", []string{"sampling.tools"}, "code 1"},
		{"client_supports", []string{"ui"}, "code 0"},
		{"client_supports_ui", nil, "code 0"},
		{"client_supports", []string{"elicit"}, `code 1: unknown capability "elicit"; use one of roots, sampling, sampling.tools, sampling.context, elicitation, elicitation.url, ui, tasks`},
	})
	runOps(t, channelOf(Call{}), []opTest{{"client_supports", []string{"roots"}, "code 1"}})
}

func TestAToolEndsWithoutWhatItNeeds(t *testing.T) {
	client := Call{Supports: having("sampling", "elicitation"), MissingCapability: true}
	ends := func(names, required string) string {
		return `ends with {"code":-32021,"message":"this needs a client with ` + names + `","data":{"requiredCapabilities":` + required +
			`}} and this needs a client with ` + names
	}
	runOps(t, channelOf(client), []opTest{
		{"require_capability", []string{"sampling", "elicitation"}, "code 0"},
		{"require_capability", []string{"roots"}, ends("roots", `{"roots":{}}`)},
		{"require_capability", []string{"elicitation", "elicitation.url"}, ends("elicitation.url", `{"elicitation":{"url":{}}}`)},
		{"require_capability", []string{"ui", "roots"}, ends("ui, roots", `{"extensions":{"io.modelcontextprotocol/ui":{}},"roots":{}}`)},
		{"require_capability", []string{"sampling.tools", "tasks", "sampling.context"}, ends("sampling.tools, tasks, sampling.context", `{"extensions":{"io.modelcontextprotocol/tasks":{}},"sampling":{"context":{},"tools":{}}}`)},
		{"require_capability", nil, "code 1: requires the name of a capability"},
	})
	client.Supports = nil
	runOps(t, channelOf(client), []opTest{
		{"require_capability", []string{"sampling", "sampling.tools"}, ends("sampling, sampling.tools", `{"sampling":{"tools":{}}}`)},
		{"require_capability", []string{"sampling.tools", "sampling"}, ends("sampling.tools, sampling", `{"sampling":{"tools":{}}}`)},
	})

	is := is.New(t)
	x := connected(nil)
	e := x.run(t, "mcp_require_capability roots\necho 'never reached'")
	is.Equal(e.stdout, `{"content":[{"type":"text","text":"this needs a client with roots"}],"structuredContent":{"success":false,"error":{"type":"missing_capability","message":"this needs a client with roots"}},"isError":true}`+"\n")
	is.Equal(e.code, 0)
	is.Equal(e.fault, "")

	x = connected(nil)
	x.call.MissingCapability = true
	e = x.run(t, "mcp_require_capability roots\necho 'never reached'")
	is.Equal(e.code, 1)
	is.Equal(e.fault, `{"code":-32021,"message":"this needs a client with roots","data":{"requiredCapabilities":{"roots":{}}}}`+"\n")

	x = connected(nil)
	x.call.Supports = having("roots")
	is.Equal(x.run(t, "mcp_require_capability roots\necho reached").stdout, "reached\n")
}
