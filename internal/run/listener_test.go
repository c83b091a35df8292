package run

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/matryer/is"
)

func TestProgressAndLogsAreHeard(t *testing.T) {
	is := is.New(t)
	r := newRuntime(t)
	var h heard
	c := h.call(newTool(t, r, `#!/bin/sh
say() { echo "$1" >>"$MCP_PROGRESS_STREAM"; }
say '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":0.5,"total":null,"message":"half"}}'
say '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":0.5}}'
say 'no json'
say '{"jsonrpc":"2.0","method":"tools/list"}'
say '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1.0,"total":1}}'
echo '{"method":"notifications/message","params":{"level":"notice","logger":"me","data":{"a":1}}}' >>"$MCP_LOG_STREAM"
echo '{"method":"notifications/message","params":{"level":"loud","data":1}}' >>"$MCP_LOG_STREAM"
`))
	_, err := r.Call(t.Context(), c)
	is.NoErr(err)
	is.Equal(string(encode(h.progress)), `[{"progressToken":null,"progress":0.5,"message":"half"},{"progressToken":null,"progress":1.0,"total":1}]`) // rising only; the token is for the handler
	is.Equal(string(encode(h.logs)), `[{"level":"notice","logger":"me","data":{"a":1}}]`)
}

func TestTheTraceOfACallReachesTheToolAndWhatItTells(t *testing.T) {
	is := is.New(t)
	const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	r := newRuntime(t)
	var h heard
	c := h.call(newTool(t, r, `#!/bin/sh
echo '{"method":"notifications/progress","params":{"progress":1}}' >>"$MCP_PROGRESS_STREAM"
echo '{"method":"notifications/message","params":{"level":"info","data":"x"}}' >>"$MCP_LOG_STREAM"
echo "$TRACEPARENT $TRACESTATE $BAGGAGE"
`))
	c.Meta = json.RawMessage(`{"traceparent":"` + parent + `","tracestate":"a=1","baggage":"k=v"}`)
	result, err := r.Call(t.Context(), c)
	is.NoErr(err)
	is.True(strings.Contains(string(encode(result)), parent+" a=1 k=v")) // TR-04
	meta := `"_meta":{"traceparent":"` + parent + `","tracestate":"a=1","baggage":"k=v"}`
	is.True(strings.Contains(string(encode(h.progress)), meta))
	is.True(strings.Contains(string(encode(h.logs)), meta))
}

func TestWhatIsWrittenJustBeforeTheEndIsHeard(t *testing.T) {
	r := newRuntime(t)
	tool := newTool(t, r, "#!/bin/sh\necho '{\"method\":\"notifications/progress\",\"params\":{\"progress\":1}}' >>\"$MCP_PROGRESS_STREAM\"")
	for range 50 {
		is := is.New(t)
		var h heard
		c := h.call(tool)
		_, err := r.Call(t.Context(), c)
		is.NoErr(err)
		is.Equal(len(h.progress), 1) // not lost
	}
}
