package calls_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/natscluster/calls"
	"github.com/mcp-bash/mcp-bash/v2/internal/waittest"
	"github.com/mcp-bash/mcp-bash/v2/server"
)

// with opens a project that has only some of the tools.
func (r *rig) with(names ...string) *server.Server {
	r.t.Helper()
	root := r.t.TempDir()
	for _, name := range names {
		r.give(root, name)
	}
	return r.open(root)
}

// give writes a tool into a project.
func (r *rig) give(root, name string) {
	write(r.t, root, "tools/"+name+"/tool.sh", head+tools[name]+"\n")
	write(r.t, root, "tools/"+name+"/tool.meta.json", metadata(name))
}

func TestACallIsOfferedOnlyToWorkersThatHaveItsTool(t *testing.T) {
	is := is.New(t)
	r := newRig(t)
	r.worker(36, r.with("json"), r.options("without"))
	r.worker(4, r.with("json", "text"), r.options("has"))
	spy := r.options("spy").Conn
	refusals, err := spy.SubscribeSync("test.work.r.*.*.without.*.*.refused")
	is.NoErr(err)
	is.NoErr(spy.Flush())
	c := r.caller(calls.CallerOptions{Options: r.options("a")})
	for range 20 {
		_, err := c.Call(t.Context(), r.of("text", ""))
		is.NoErr(err)
	}
	is.NoErr(spy.Flush())
	pending, _, err := refusals.Pending()
	is.NoErr(err)
	is.Equal(pending, 0)
}

func TestCallsThatWaitForTheirWorkersDoNotHoldUpThoseOfOtherTools(t *testing.T) {
	is := is.New(t)
	r := newRig(t)
	r.worker(1, r.with("wait"), r.options("slow"))
	r.worker(4, r.with("json"), r.options("quick"))
	c := r.caller(calls.CallerOptions{Options: r.options("a"), MaxWait: time.Minute})
	ctx, cancel := context.WithCancel(t.Context())
	var waiting []<-chan outcome
	for range 20 {
		waiting = append(waiting, goes(ctx, c, r.of("wait", "")))
		waiting = append(waiting, goes(ctx, c, r.of("text", ""))) // which no worker has
	}
	waittest.Until(t, "all but one wait", func() bool { return c.Status().Waiting == 39 })
	for range 3 {
		_, err := c.Call(t.Context(), r.of("json", ""))
		is.NoErr(err)
	}
	cancel()
	for _, one := range waiting {
		is.Equal((<-one).err, context.Canceled)
	}
}

func TestAWorkerTakesCallsOfAToolAsSoonAsItHasIt(t *testing.T) {
	t.Parallel() // it mostly waits
	is := is.New(t)
	r := newRig(t)
	host := r.with("json")
	r.worker(1, host, r.options("w"))
	short := r.caller(calls.CallerOptions{Options: r.options("a"), MaxWait: 50 * time.Millisecond})
	_, err := short.Call(t.Context(), r.of("text", ""))
	is.True(strings.Contains(err.Error(), "no worker has taken the call within 50ms: none that has the tool answers"))
	done := goes(t.Context(), r.caller(calls.CallerOptions{Options: r.options("b"), MaxWait: time.Minute}), r.of("text", ""))
	r.give(host.Root(), "text")
	is.NoErr((<-done).err)
}

func TestAToolWhoseNameNATSCannotHaveInASubjectIsCalledAsOthersAre(t *testing.T) {
	is := is.New(t)
	r := newRig(t)
	for _, name := range []string{"files.read", "files..read"} {
		tools := strings.ReplaceAll(metadata("json"), `"json"`, `"`+name+`"`)
		write(t, r.root, "tools/"+strings.ReplaceAll(name, ".", "-")+"/tool.sh", head+"echo here\n")
		write(t, r.root, "tools/"+strings.ReplaceAll(name, ".", "-")+"/tool.meta.json", tools)
	}
	c := r.pair(1)
	for _, name := range []string{"files.read", "files..read"} {
		_, err := c.Call(t.Context(), r.of(name, ""))
		is.NoErr(err)
	}
}
