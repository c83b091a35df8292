package rules_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/catalog"
	"github.com/mcp-bash/mcp-bash/v2/internal/interceptor"
	"github.com/mcp-bash/mcp-bash/v2/internal/rules"
)

const valid = `{"type": "validation", "hooks": [{"events": ["tools/call"], "phase": "request"}], "jq": "true"}`

// refusing is an interceptor that refuses all calls.
func refusing(why string) string { return strings.Replace(valid, "true", `\"`+why+`\"`, 1) }

func put(t testing.TB, root, name, text string) {
	t.Helper()
	is := is.New(t)
	path := filepath.Join(root, name)
	is.NoErr(os.MkdirAll(filepath.Dir(path), 0o755))
	is.NoErr(os.WriteFile(path, []byte(text), 0o644))
}

// opened returns the rules of a project, and asks returns what becomes of a call, a moment later: nothing, or why it is
// refused. It belongs into a bubble.
func opened(t *testing.T, root string, o rules.Options) (r *rules.Rules, asks func(payload string) string) {
	t.Helper()
	is := is.New(t)
	project, err := catalog.Open(root, catalog.Options{})
	is.NoErr(err)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	r = rules.New(project, o)
	t.Cleanup(r.Close)
	return r, func(payload string) string {
		<-time.After(time.Second) // of the bubble
		set, err := r.Current(t.Context())
		is.NoErr(err)
		_, err = set.Pass(t.Context(), interceptor.Receiving, interceptor.Question{Event: "tools/call", Phase: interceptor.Request,
			Payload: json.RawMessage(payload)})
		if err == nil {
			return ""
		}
		return err.Error()
	}
}

func TestWhatIsSavedTakesEffect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		root := t.TempDir()
		_, asks := opened(t, root, rules.Options{})
		is.Equal(asks(`{}`), "") // the folder does not exist yet
		put(t, root, "interceptors/mine/mine.meta.json", refusing("no"))
		is.Equal(asks(`{}`), "refused by mine: no")
		put(t, root, "interceptors/mine/mine.meta.json", refusing("not this"))
		is.Equal(asks(`{}`), "refused by mine: not this")
		is.NoErr(os.RemoveAll(filepath.Join(root, "interceptors")))
		is.Equal(asks(`{}`), "")
	})
}

func TestWhereOneCannotBeReadNothingPassesUntilItIsMended(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		root := t.TempDir()
		put(t, root, "interceptors/good/good.meta.json", valid)
		put(t, root, "interceptors/mine/mine.meta.json", "{\n\"type\": \"validation\",")
		_, asks := opened(t, root, rules.Options{})
		why := asks(`{}`)
		is.True(strings.Contains(why, "interceptors/mine/mine.meta.json:2"))   // where it is
		is.True(strings.HasSuffix(why, "; nothing passes until it is mended")) // and what to do
		put(t, root, "interceptors/mine/mine.meta.json", valid)
		is.Equal(asks(`{}`), "")
	})
}

func TestNothingPassesWhileTheirFolderIsALinkToNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		root := t.TempDir()
		put(t, root, "elsewhere/a.meta.json", refusing("a"))
		link := filepath.Join(root, "interceptors")
		if err := os.Symlink(filepath.Join(root, "away"), link); err != nil {
			t.Skip("symbolic links need a privilege on Windows")
		}
		_, asks := opened(t, root, rules.Options{})
		is.True(strings.Contains(asks(`{}`), "interceptors: is a symbolic link to something that does not exist"))
		is.NoErr(os.Rename(filepath.Join(root, "elsewhere"), filepath.Join(root, "away")))
		is.True(strings.Contains(asks(`{}`), "refused by a")) // it is there again
	})
}

func TestWhatAnswersAQuestionFromBeforeAFileBrokeDoesNotPass(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		root := t.TempDir()
		put(t, root, "interceptors/mine/mine.meta.json", strings.Replace(valid, "request", "response", 1))
		r, asks := opened(t, root, rules.Options{})
		is.Equal(asks(`{}`), "")
		put(t, root, "interceptors/mine/mine.meta.json", `{"type": 1}`)
		<-time.After(time.Second) // of the bubble
		set, err := r.Current(t.Context())
		is.NoErr(err)
		_, err = set.Pass(t.Context(), interceptor.Receiving, interceptor.Question{Event: "sampling/createMessage",
			Phase: interceptor.Response, Payload: json.RawMessage(`{}`)})
		is.True(err != nil)
	})
}

func TestWhereInterceptorsAreRequiredNothingPassesWithoutThem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		root := t.TempDir()
		put(t, root, "interceptors/mine/mine.meta.json", valid)
		_, asks := opened(t, root, rules.Options{Required: true})
		is.Equal(asks(`{}`), "")
		is.NoErr(os.RemoveAll(filepath.Join(root, "interceptors", "mine")))
		is.True(strings.Contains(asks(`{}`), "it has no interceptors any more"))
		is.NoErr(os.RemoveAll(filepath.Join(root, "interceptors")))
		is.True(strings.Contains(asks(`{}`), "it has no interceptors any more"))
	})
}

func TestOneThatIsUnchangedIsKeptWhileAnotherChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		root := t.TempDir()
		put(t, root, "interceptors/a/a.meta.json", valid)
		put(t, root, "interceptors/b/b.meta.json", valid)
		r, asks := opened(t, root, rules.Options{})
		is.Equal(asks(`{}`), "")
		before, err := r.Current(t.Context())
		is.NoErr(err)
		put(t, root, "interceptors/b/b.meta.json", strings.Replace(valid, "true", `.arguments == null`, 1))
		is.Equal(asks(`{}`), "")
		after, err := r.Current(t.Context())
		is.NoErr(err)
		is.True(before.All[0] == after.All[0])
		is.True(before.All[1] != after.All[1])
	})
}

func TestWhatAuditsIsLeftOutWhileTooManyAreBusyAndSeenToItsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		root := t.TempDir()
		put(t, root, "interceptors/a/a.meta.json", valid)
		r, _ := opened(t, root, rules.Options{})
		set, err := r.Current(t.Context())
		is.NoErr(err)
		var began, ended atomic.Int64
		for range 100 {
			set.Background(func() {
				began.Add(1)
				<-time.After(time.Minute)
				ended.Add(1)
			})
		}
		synctest.Wait()
		is.Equal(began.Load(), int64(64))
		r.Close()
		is.Equal(ended.Load(), int64(64))
	})
}

func TestTheLogNamesTheInterceptorAndSaysWhyItRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		root := t.TempDir()
		put(t, root, "interceptors/mine/mine.meta.json", refusing("no"))
		var log bytes.Buffer
		r, asks := opened(t, root, rules.Options{Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{
			ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
				if a.Key == slog.TimeKey {
					return slog.Attr{}
				}
				return a
			}}))})
		put(t, root, "interceptors/seen/seen.meta.json", strings.Replace(strings.Replace(valid, `"type"`,
			`"mode": "audit", "description": "only looks", "type"`, 1), "true", "false", 1))
		is.Equal(asks(`{}`), "refused by mine: no")
		r.Close()
		lines := slices.Sorted(strings.Lines(log.String()))
		is.Equal(strings.Join(lines, ""), strings.TrimPrefix(`
level=WARN msg=interceptor name=mine event=tools/call phase=request outcome=refused reason=no
level=WARN msg=interceptor name=seen event=tools/call phase=request outcome=refused audit=true reason="only looks"
`, "\n"))
	})
}
