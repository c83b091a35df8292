package run

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/budget"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

// talkative reports that it has started, and then writes more than is free.
const talkative = `#!/bin/sh
echo '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1}}' > "$MCP_PROGRESS_STREAM"
i=0
line=0123456789012345678901234567890123456789012345678901234567890123456789012345678
while [ $i -lt 100 ]; do echo $line; i=$((i+1)); done > "$MCPBASH_PROJECT_ROOT/block"
i=0
while [ $i -lt 80 ]; do cat "$MCPBASH_PROJECT_ROOT/block"; i=$((i+1)); done
`

func TestACallWithALongOutputWaitsForItsShareAndLosesNothing(t *testing.T) {
	is := is.New(t)
	memory := budget.New(1 << 20)
	other := memory.Share()
	is.NoErr(other.Reserve(t.Context(), 1<<20))

	r := newRuntime(t)
	c := new(heard).call(newTool(t, r, talkative))
	c.Meta = []byte(`{"progressToken":1}`)
	started := make(chan struct{})
	c.Progress = func(context.Context, mcp.ProgressParams) error { close(started); return nil }
	share := memory.Share()
	ended := make(chan string)
	go func() {
		result, err := r.Call(budget.With(t.Context(), share), c)
		is.NoErr(err)
		ended <- string(encode(result))
	}()
	<-started
	is.True(strings.Contains(run(t, "#!/bin/sh\necho short"), "short")) // the short pass
	select {
	case <-ended:
		t.Fatal("it did not wait")
	default:
	}
	other.Release()
	got := <-ended
	is.Equal(strings.Count(got, `\n`), 8000)
	next := memory.Share()
	share.Release()
	is.NoErr(next.Reserve(t.Context(), 1<<20)) // all was given back
}

func TestACallThatWaitsForItsShareCanBeCancelled(t *testing.T) {
	is := is.New(t)
	memory, gone := budget.New(1<<20), errors.New("gone")
	other := memory.Share()
	is.NoErr(other.Reserve(t.Context(), 1<<20))

	r := newRuntime(t)
	c := new(heard).call(newTool(t, r, talkative))
	c.Meta = []byte(`{"progressToken":1}`)
	ctx, cancel := context.WithCancelCause(t.Context())
	c.Progress = func(context.Context, mcp.ProgressParams) error { cancel(gone); return nil }
	share := memory.Share()
	_, err := r.Call(budget.With(ctx, share), c)
	is.Equal(err, gone)
	share.Release()
	other.Release()
	is.NoErr(memory.Share().Reserve(t.Context(), 1<<20)) // nothing is lost
}
