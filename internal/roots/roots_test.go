package roots

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/matryer/is"
)

func TestOnlyFoldersOfThisMachineAreRoots(t *testing.T) {
	is := is.New(t)
	dir := t.TempDir()
	dir, _ = filepath.EvalSymlinks(dir)
	spaced := filepath.Join(dir, "a b")
	is.NoErr(os.Mkdir(spaced, 0o755))
	is.NoErr(os.Symlink(spaced, filepath.Join(dir, "link")))
	is.NoErr(os.WriteFile(filepath.Join(dir, "file"), nil, 0o644))
	odd := filepath.Join(dir, "50% #1?")
	is.NoErr(os.Mkdir(odd, 0o755))
	var log strings.Builder
	r := &Roots{Log: slog.New(slog.NewTextHandler(&log, nil))}
	found := r.Named(json.RawMessage(`{"roots":[
		{"uri":"file://` + dir + `/a%20b","name":"mine"},
		{"uri":"file://` + dir + `/link"},
		{"uri":"file://` + dir + `/file"},
		{"uri":"file://` + dir + `/none"},
		{"uri":"file://elsewhere` + dir + `"},
		{"uri":"https://example.com/"},
		{"uri":"file://` + dir + `/50% #1?"},
		{"uri":"%zz"}, {}]}`))
	is.Equal(len(found), 2) // the rest are not folders here, or the same one
	is.Equal(found[0], Root{URI: "file://" + dir + "/a%20b", Name: "mine", Path: spaced})
	is.Equal(found[1].Path, odd) // though its client should have escaped it
	for _, uri := range []string{dir + "/file", dir + "/none", "file://elsewhere" + dir, "https://example.com/", "%zz"} {
		is.True(strings.Contains(log.String(), uri)) // the log names what is left out
	}
	is.Equal(strings.Count(log.String(), "level=WARN"), 6)
	is.Equal(len(r.Named(json.RawMessage(`{"roots":5}`))), 0)
	r.Named(json.RawMessage(`{"roots":[{"uri":"vscode-remote://ssh/home"}]}`))
	is.True(strings.Contains(log.String(), "tools work in others"))
}

func TestWindowsPathsLoseTheirLeadingSlash(t *testing.T) {
	is := is.New(t)
	path, err := pathOf("file:///C:/a%20b", "windows")
	is.NoErr(err)
	is.Equal(path, `C:\a b`)
}

func TestTheClientIsAskedOnceUntilItsRootsChange(t *testing.T) {
	is := is.New(t)
	dir := t.TempDir()
	asked := 0
	r := &Roots{Log: slog.New(slog.DiscardHandler), Fallback: Folders("/", t.TempDir()), Ask: func(context.Context) (json.RawMessage, error) {
		asked++
		return json.RawMessage(`{"roots":[{"uri":"file://` + dir + `"}]}`), nil
	}}
	is.Equal(r.Get(t.Context())[0].URI, "file://"+dir)
	r.Get(t.Context())
	is.Equal(asked, 1) // the answer is kept
	r.Forget()
	r.Get(t.Context())
	is.Equal(asked, 2) // until it changes
}

func TestTheFallbackIsUsedIfTheClientFailsOrIsSilent(t *testing.T) {
	fallback := Folders("/", t.TempDir())
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		asked := 0
		r := &Roots{Log: slog.New(slog.DiscardHandler), Fallback: fallback, Ask: func(ctx context.Context) (json.RawMessage, error) {
			asked++
			<-ctx.Done()
			return nil, ctx.Err()
		}}
		start := time.Now()
		is.Equal(r.Get(t.Context()), fallback)
		is.Equal(time.Since(start), 5*time.Second)
		is.Equal(r.Get(t.Context()), fallback)
		is.Equal(asked, 1) // the client is not waited for again
		r.Forget()
		r.Ask = func(context.Context) (json.RawMessage, error) { return nil, errors.New("no") }
		is.Equal(r.Get(t.Context()), fallback)
		r.Forget()
		r.Ask = func(context.Context) (json.RawMessage, error) { return json.RawMessage(`{"roots":[]}`), nil }
		is.Equal(r.Get(t.Context()), fallback) // even an empty list
		r.Forget()
		r.Ask = func(context.Context) (json.RawMessage, error) {
			return json.RawMessage(`{"roots":[{"uri":"file:///no/such/folder"}]}`), nil
		}
		is.Equal(r.Get(t.Context()), fallback) // never no folder at all, which would allow all paths
	})
}
