//go:build unix

package rules_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/catalog"
	"github.com/mcp-bash/mcp-bash/v2/internal/hooks"
	"github.com/mcp-bash/mcp-bash/v2/internal/interceptor"
	"github.com/mcp-bash/mcp-bash/v2/internal/process"
	"github.com/mcp-bash/mcp-bash/v2/internal/rules"
	"github.com/mcp-bash/mcp-bash/v2/internal/waittest"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/pipeline/pipetest"
)

// guard is an MCP server with one interceptor, which refuses calls. It ends after the third of them.
const guard = `n=0
while read -r line; do
  id=${line##*'"id":'} id=${id%%[,\}]*}
  case $line in
  *'"initialize"'*) result='{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"guard","version":"1"}}' ;;
  *interceptors/list*) result='{"interceptors":[{"name":"guard","type":"validation","hooks":[{"events":["tools/call"],"phase":"request"}]}]}' ;;
  *interceptor/invoke*) n=$((n + 1)) result='{"valid":false,"messages":[{"message":"call '$n'"}]}' ;;
  *) continue ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
  [ $n -lt 3 ] || exit
done
`

// guarded returns the rules of a project with a server, and asks returns why a call is refused.
func guarded(t *testing.T, root string) (r *rules.Rules, asks func() string) {
	t.Helper()
	is := is.New(t)
	is.NoErr(os.Chmod(root, 0o755))
	project, err := catalog.Open(root, catalog.Options{})
	is.NoErr(err)
	runner := &process.Runner{}
	r = rules.New(project, rules.Options{Log: slog.New(slog.DiscardHandler), Host: interceptor.Host{Root: project.Root(),
		Rules: hooks.Rules{Allowed: true}, Runner: runner, Env: os.Environ}})
	t.Cleanup(r.Close)
	return r, func() string {
		set, err := r.Current(t.Context())
		is.NoErr(err)
		_, err = set.Pass(t.Context(), interceptor.Sending, interceptor.Question{Event: "tools/call", Phase: interceptor.Request,
			Payload: json.RawMessage(`{}`)})
		if err == nil {
			return ""
		}
		return err.Error()
	}
}

func TestTheInterceptorsOfAServerAreUsedAndItIsStartedAgainWhenItHasEnded(t *testing.T) {
	is := is.New(t)
	root := t.TempDir()
	put(t, root, "guard.sh", guard)
	put(t, root, "interceptors/theirs/theirs.meta.json", `{"server": ["bash", "guard.sh"]}`)
	_, asks := guarded(t, root)
	is.Equal(asks(), "refused by guard: call 1")
	is.Equal(asks(), "refused by guard: call 2")
	is.Equal(asks(), "refused by guard: call 3")
	waittest.Until(t, "it was started again", func() bool { return asks() == "refused by guard: call 1" })
}

func TestNothingPassesWhileAServerOfInterceptorsCannotBeUsed(t *testing.T) {
	for line, why := range map[string]string{
		`["no-such-program"]`: "no-such-program: program not found",
		`["sh", "-c", "echo warming up >&2; echo broken >&2; exit 3"]`: "not a message: broken",
		`["sh", "-c", "echo a banner; cat"]`:                           "it has ended, or printed a line that is not a message",
		`["head", "-c", "100000000", "/dev/zero"]`:                     "theirs cannot be used",
	} {
		t.Run(line, func(t *testing.T) {
			is := is.New(t)
			root := t.TempDir()
			put(t, root, "interceptors/theirs/theirs.meta.json", `{"server": `+line+`}`)
			_, asks := guarded(t, root)
			got := asks()
			is.True(strings.Contains(got, why))
			is.True(strings.HasSuffix(got, "; nothing passes until it is mended"))
			is.True(strings.Contains(got, filepath.Join("interceptors", "theirs", "theirs.meta.json")))
			put(t, root, "interceptors/theirs/theirs.meta.json", `{"failOpen": true, "server": `+line+`}`)
			waittest.Until(t, "messages pass", func() bool { return asks() == "" })
		})
	}
}

func TestAServerThatDoesNotReadHoldsNoMessageForLongerThanItsTimeLimit(t *testing.T) {
	is := is.New(t)
	root := t.TempDir()
	put(t, root, "guard.sh", strings.Replace(guard, "; do", "; do case $line in *invoke*) sleep 1000;; esac", 1))
	put(t, root, "interceptors/theirs/theirs.meta.json", `{"server": ["bash", "guard.sh"], "timeoutMs": 100}`)
	r, asks := guarded(t, root)
	is.True(strings.Contains(asks(), "did not answer")) // and reads no further
	set, err := r.Current(t.Context())
	is.NoErr(err)
	long := json.RawMessage(`"` + strings.Repeat("x", 1<<20) + `"`)
	_, err = set.Pass(t.Context(), interceptor.Sending, interceptor.Question{Event: "tools/call", Phase: interceptor.Request, Payload: long})
	is.True(err != nil)
	waittest.Until(t, "another one is started", func() bool { again, _ := r.Current(t.Context()); return again != set })
}

func TestNothingIsStartedAfterTheEnd(t *testing.T) {
	is := is.New(t)
	root := t.TempDir()
	put(t, root, "guard.sh", "touch started\n"+guard)
	put(t, root, "interceptors/theirs/theirs.meta.json", `{"server": ["bash", "guard.sh"]}`)
	r, _ := guarded(t, root)
	r.Close()
	_, err := r.Current(t.Context())
	is.True(err != nil)
	_, err = os.Stat(filepath.Join(root, "started"))
	is.True(os.IsNotExist(err))
}

// silent puts a server into a project that never answers, and returns its rules once a call waits for it.
func silent(t *testing.T, root string, ask func(*rules.Rules)) *rules.Rules {
	t.Helper()
	put(t, root, "interceptors/theirs/theirs.meta.json", `{"server": ["sh", "-c", ": >started; exec sleep 60"]}`)
	r, _ := guarded(t, root)
	ask(r)
	waittest.Until(t, "it is started", func() bool { _, err := os.Stat(filepath.Join(root, "started")); return err == nil })
	return r
}

func TestOthersAreAnsweredWhileCallsWaitForAServer(t *testing.T) {
	is := is.New(t)
	var c *pipetest.Client
	r := silent(t, t.TempDir(), func(r *rules.Rules) {
		c = pipetest.Start(t, []pipeline.Middleware{interceptor.Stage(interceptor.Receiving, r.Current)}, pipetest.OK, pipeline.Options{})
		c.Send(pipetest.Call(1, "tools/call", `{}`))
	})
	c.Send(pipetest.Call(2, "tools/call", `{}`))
	c.Send(pipetest.Call(3, "ping", ""))
	is.Equal(c.Recv(), `{"jsonrpc":"2.0","id":3,"result":{}}`)
	r.Close() // the others need not wait any longer
}

func TestWhoWaitsForAServerIsDoneWhenCancelledAndWhenTheRulesAreClosed(t *testing.T) {
	is := is.New(t)
	root, answers := t.TempDir(), make(chan error, 1)
	ask := func(r *rules.Rules) {
		go func() {
			set, err := r.Current(t.Context())
			if err == nil {
				_, err = set.Pass(t.Context(), interceptor.Sending, interceptor.Question{Event: "tools/call", Phase: interceptor.Request})
			}
			answers <- err
		}()
	}
	r := silent(t, root, ask)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := r.Current(ctx)
	is.Equal(err, context.Canceled)
	ask(r)
	r.Close()
	is.True(<-answers != nil)
	is.True(<-answers != nil)
	put(t, root, "interceptors/theirs/theirs.meta.json", `{"server": ["sh", "-c", ": >again"]}`)
	_, err = r.Current(t.Context())
	is.True(err != nil)
	_, err = os.Stat(filepath.Join(root, "again"))
	is.True(os.IsNotExist(err)) // nothing is started after the end
}

func TestAServerOfInterceptorsMustListThem(t *testing.T) {
	is := is.New(t)
	root := t.TempDir()
	put(t, root, "guard.sh", strings.Replace(guard, `{"interceptors":[`, `{"rules":[`, 1))
	put(t, root, "interceptors/theirs/theirs.meta.json", `{"server": ["bash", "guard.sh"]}`)
	_, asks := guarded(t, root)
	is.True(strings.Contains(asks(), "interceptors/list: the result has no interceptors"))
}

func TestAServerThatOthersCouldReplaceIsNotStarted(t *testing.T) {
	is := is.New(t)
	root := t.TempDir()
	put(t, root, "interceptors/theirs/theirs.meta.json", `{"server": ["true"]}`)
	is.NoErr(os.Chmod(filepath.Join(root, "interceptors/theirs/theirs.meta.json"), 0o666))
	_, asks := guarded(t, root)
	is.True(strings.Contains(asks(), "theirs.meta.json can be written by others"))
}
