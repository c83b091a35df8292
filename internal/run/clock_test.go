package run

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/sdk"
)

func TestATimeoutTellsWhyAndKeepsTheOutput(t *testing.T) {
	is := is.New(t)
	got := run(t, "#!/bin/sh\necho so far\nexec sleep 60", func(c *Call) {
		limit := 200 * time.Millisecond
		c.Timeout = &limit
		c.Tool.TimeoutHint = "ask for less"
	})
	is.True(strings.Contains(got, `{"type":"text","text":"Tool timed out after 0.2s\n\nSuggestion: ask for less"},{"type":"text","text":"Output until then:\nso far\n"}`))
	is.True(strings.Contains(got, `"structuredContent":{"error":{"hint":"ask for less","message":"Tool timed out after 0.2s","reason":"fixed","timeoutSecs":0.2,"type":"timeout"},"success":false}`))
	is.True(strings.Contains(got, `"isError":true,"_meta":{"exitCode":124}`)) // as timeout(1) has it
}

func TestProgressExtendsTheTimeoutUpToTheMaximum(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	yes, idle, most := true, 400*time.Millisecond, 1500*time.Millisecond
	extends := func(c *Call) {
		c.Timeout, c.Tool.ProgressExtendsTimeout, c.Tool.MaxTimeout = &idle, &yes, &most
	}
	got := run(t, `#!/bin/sh
i=0
while :; do
  i=$((i+1))
  echo '{"method":"notifications/progress","params":{"progress":'$i'}}' >>"$MCP_PROGRESS_STREAM"
  sleep 0.1
done`, extends)
	is.True(strings.Contains(got, `Tool exceeded maximum runtime of 1.5s`)) // long past the first limit
	got = run(t, "#!/bin/sh\nexec sleep 60", extends)
	is.True(strings.Contains(got, `Tool timed out after 0.4s (no progress reported)`))
}

func TestTheTimeOfAToolStandsStillWhileItsClientIsAsked(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	r := newRuntime(t)
	installSDK(t, r)
	var h heard
	c := h.call(newTool(t, r, `#!/bin/bash
source "$MCP_SDK/tool-sdk.sh"
mcp_elicit_string "Who are you?"
`))
	limit := 400 * time.Millisecond
	c.Timeout = &limit
	c.Ask = func(context.Context, ...sdk.Question) []sdk.Answer {
		<-time.After(2 * limit) // the user thinks
		return []sdk.Answer{{Result: json.RawMessage(`{"action":"accept","content":{"value":"Ada"}}`)}}
	}
	c.Patient = true
	result, err := r.Call(t.Context(), c)
	is.NoErr(err)
	is.True(strings.Contains(string(encode(result)), "Ada")) // and is not over
}
