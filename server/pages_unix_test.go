//go:build unix

package server_test

import (
	"fmt"
	"log/slog"
	"maps"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/server"
)

// A read is the answer to resources/read.
type read struct {
	Contents []struct {
		URI, MimeType, Text string
		Meta                struct {
			UI struct {
				Border *bool `json:"prefersBorder"`
			} `json:"ui"`
		} `json:"_meta"`
	}
}

func TestAPageIsFoundUnderAnyServersName(t *testing.T) {
	const meta = `{"meta": {"prefersBorder": false}}`
	project := map[string]string{
		"tools/query/tool.sh":          "#!/bin/sh\n",
		"tools/query/tool.meta.json":   `{"_meta": {"ui": {"resourceUri": "ui://mcp-server/query"}}}`,
		"tools/query/ui/index.html":    "query",
		"tools/query/ui/ui.meta.json":  meta,
		"ui/a page/index.html":         "a page",
		"ui/a page/ui.meta.json":       meta,
		"ui/made/ui.meta.json":         `{"template": "kanban", "config": {"columns": ["x"]}, "meta": {"prefersBorder": false}}`,
		"resources/own.html":           "own",
		"resources/own.html.meta.json": `{"uri": "ui://somebody/own", "mimeType": "text/html", "_meta": {"ui": {"prefersBorder": false}}}`,
		"server.d/server.meta.json":    `{"name": "shop"}`,
	}
	registered := map[string]string{ // whose list has no pages but its own
		"server.d/register.json": `{"version": 1, "resources": [{"name": "x", "uri": "ui://shop/x", "path": "own.html", "_meta": {"ui": {"prefersBorder": false}}}]}`,
	}
	scripted := map[string]string{"providers/ui.sh": "#!/bin/sh\nprintf 'script of %s' \"$1\"\n"}
	for _, c := range []struct {
		more map[string]string
		uri  string
		text string // "" for any
	}{
		{nil, "ui://shop/query", "query"},
		{nil, "ui://mcp-server/query", "query"},
		{nil, "ui://query", "query"},
		{nil, "UI://Shop/query", "query"},
		{nil, "ui://shop/a%20page", "a page"},
		{nil, "ui://other/a%20page", "a page"},
		{nil, "ui://other/made", ""},
		{nil, "ui://somebody/own", "own"},
		{nil, "ui://shop/own", "own"},
		{registered, "ui://shop/x", "own"},
		{registered, "ui://shop/query", "query"},
		{registered, "ui://mcp-server/made", ""},
		{scripted, "ui://shop/query", "script of ui://shop/query"},
		{scripted, "ui://mcp-server/query", "script of ui://mcp-server/query"},
	} {
		t.Run(fmt.Sprint(len(c.more), c.uri), func(t *testing.T) {
			is := is.New(t)
			all := maps.Clone(project)
			maps.Copy(all, c.more)
			srv, err := server.Open(t.Context(), server.Options{ProjectRoot: files(t, all), Log: slog.New(slog.DiscardHandler)})
			is.NoErr(err)
			defer srv.Close()
			one := join(t, srv)
			defer one.leave(t)
			var got read
			is.NoErr(one.Call(t.Context(), "resources/read", map[string]any{"uri": c.uri}, &got))
			is.Equal(got.Contents[0].URI, c.uri)
			is.Equal(got.Contents[0].MimeType, "text/html;profile=mcp-app") // hosts show nothing else
			is.True(got.Contents[0].Meta.UI.Border != nil && !*got.Contents[0].Meta.UI.Border)
			is.True(got.Contents[0].Text == c.text || c.text == "")
		})
	}
}

func TestWhatIsNoPageIsNotFound(t *testing.T) {
	is := is.New(t)
	root := files(t, map[string]string{
		"tools/a/tool.sh": "#!/bin/sh\n", "tools/a/ui/index.html": "", "tools/ui/index.html": "outside", "ui/index.html": "", "ui/.b/index.html": "",
		"resources/bare.meta.json": `{"uri": "ui://x/bare"}`,
	})
	srv, err := server.Open(t.Context(), server.Options{ProjectRoot: root, Log: slog.New(slog.DiscardHandler)})
	is.NoErr(err)
	defer srv.Close()
	one := join(t, srv)
	defer one.leave(t)
	for _, uri := range []string{"ui://x/b", "ui://x/..", "ui://x/%2e%2e", "ui://x/../a", "ui://x/a/ui", "ui://x/.b", "ui://x/.", "ui://x/", "ui://", "ui:", "ui://x/a?b", "ui://x/bare", "ui://x/%zz"} {
		err := one.Call(t.Context(), "resources/read", map[string]any{"uri": uri}, nil)
		is.True(err != nil) // of another name, or no name
	}
}

// What metadata says counts, then what the operator says, then what the folder says.
func TestTheOperatorNamesAServerThatDoesNotNameItself(t *testing.T) {
	for metadata, want := range map[string]string{
		`{}`:                                  "ops Operations 2.0",
		`{"name": "shop"}`:                    "shop Operations 2.0",
		`{"title": "Shop", "version": "3.0"}`: "ops Shop 3.0",
	} {
		t.Run(metadata, func(t *testing.T) {
			is := is.New(t)
			root := files(t, map[string]string{
				"server.d/server.meta.json": metadata, "VERSION": "1.0", "ui/a/index.html": "",
				"tools/who.sh": "#!/bin/sh\nprintf '%s %s %s' \"$MCPBASH_SERVER_NAME\" \"$MCPBASH_SERVER_TITLE\" \"$MCPBASH_SERVER_VERSION\"\n",
			})
			srv, err := server.Open(t.Context(), server.Options{ProjectRoot: root, Log: slog.New(slog.DiscardHandler),
				Identity: server.Identity{Name: "ops", Title: "Operations", Version: "2.0"}})
			is.NoErr(err)
			defer srv.Close()
			one := join(t, srv)
			defer one.leave(t)
			var list struct{ Resources []struct{ URI string } }
			is.NoErr(one.Call(t.Context(), "resources/list", nil, &list))
			name, _, _ := strings.Cut(want, " ")
			is.Equal(list.Resources[0].URI, "ui://"+name+"/a")
			var got struct{ Content []struct{ Text string } }
			is.NoErr(one.Call(t.Context(), "tools/call", map[string]any{"name": "who"}, &got))
			is.Equal(got.Content[0].Text, want) // tools are told the same
		})
	}
}
