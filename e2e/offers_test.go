package e2e

import (
	"context"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/matryer/is"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-bash/mcp-bash/v2/e2e/rig"
)

// newProject creates a project with the given files. Those that end in .sh are
// executable.
func newProject(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		write(t, filepath.Join(root, filepath.FromSlash(name)), text)
	}
	return root
}

func write(t *testing.T, path, text string) {
	t.Helper()
	mode := os.FileMode(0o644)
	if strings.HasSuffix(path, ".sh") {
		mode = 0o755
	}
	rig.WriteProgram(t, path, text, mode)
}

func TestResourcesAreListedAndRead(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	const picture = "\x89PNG\r\n\x1a\n\x00"
	root := newProject(t, map[string]string{
		"resources/b c.md":         "# A\n",
		"resources/p.png":          picture,
		"resources/user.meta.json": `{"name":"user","uriTemplate":"db://users/{id}","mimeType":"application/json"}`,
		"resources/user.sh":        "#!/bin/sh\nprintf '{\"uri\":\"%s\"}' \"$1\"\n",
	})
	session := connectTo(t, root, nil)
	listed, err := session.ListResources(patient(t), nil)
	is.NoErr(err)
	is.Equal(len(listed.Resources), 2)
	texts := map[string]string{}
	for _, r := range listed.Resources {
		read, err := session.ReadResource(patient(t), &mcp.ReadResourceParams{URI: r.URI})
		is.NoErr(err)
		is.Equal(len(read.Contents), 1)
		texts[r.Name+" "+read.Contents[0].MIMEType] = read.Contents[0].Text + string(read.Contents[0].Blob)
	}
	is.Equal(texts["b c text/markdown"], "# A\n")
	is.Equal(texts["p image/png"], picture) // base64 on the way: base64.StdEncoding
	is.True(base64.StdEncoding.EncodeToString([]byte(picture)) != picture)
	templates, err := session.ListResourceTemplates(patient(t), nil)
	is.NoErr(err)
	is.Equal(templates.ResourceTemplates[0].URITemplate, "db://users/{id}")
	read, err := session.ReadResource(patient(t), &mcp.ReadResourceParams{URI: "db://users/7"})
	is.NoErr(err)
	is.Equal(read.Contents[0].Text, `{"uri":"db://users/7"}`)
	_, err = session.ReadResource(patient(t), &mcp.ReadResourceParams{URI: "file:///etc/passwd"})
	is.True(err != nil) // outside
}

func TestASubscriberIsToldOfEachChangeOnce(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	root := newProject(t, map[string]string{"resources/a.txt": "one"})
	updated := make(chan string, 10)
	session := connectTo(t, root, &mcp.ClientOptions{ResourceUpdatedHandler: func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) {
		updated <- r.Params.URI
	}}, "MCPBASH_RESOURCES_POLL_INTERVAL_SECS=0.2")
	listed, err := session.ListResources(patient(t), nil)
	is.NoErr(err)
	uri := listed.Resources[0].URI
	is.NoErr(session.Subscribe(patient(t), &mcp.SubscribeParams{URI: uri}))
	for _, text := range []string{"two", "three"} {
		write(t, filepath.Join(root, "resources", "a.txt"), text)
		is.Equal(next(t, updated), uri) // told
	}
	is.NoErr(session.Unsubscribe(patient(t), &mcp.UnsubscribeParams{URI: uri}))
	is.Equal(len(updated), 0) // once each
}

func TestTheClientIsToldWhenListsChange(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	root := newProject(t, map[string]string{"tools/a/tool.sh": "#!/bin/sh\n"})
	changed := make(chan string, 10)
	session := connectTo(t, root, &mcp.ClientOptions{
		ToolListChangedHandler:   func(context.Context, *mcp.ToolListChangedRequest) { changed <- "tools" },
		PromptListChangedHandler: func(context.Context, *mcp.PromptListChangedRequest) { changed <- "prompts" },
	})
	listed, err := session.ListTools(patient(t), nil)
	is.NoErr(err)
	is.Equal(len(listed.Tools), 1)
	write(t, filepath.Join(root, "tools/b/tool.sh"), "#!/bin/sh\n")
	is.Equal(next(t, changed), "tools")
	listed, err = session.ListTools(patient(t), nil)
	is.NoErr(err)
	is.Equal(len(listed.Tools), 2)
	write(t, filepath.Join(root, "prompts/p.md"), "hello")
	is.Equal(next(t, changed), "prompts")
}

func TestPromptsAreFilledAndCompleted(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	session := connectTo(t, newProject(t, map[string]string{
		"prompts/review.md":        "Review {{code}}",
		"prompts/review.meta.json": `{"arguments":[{"name":"code","required":true,"values":["go","rust"]}]}`,
	}), nil)
	got, err := session.GetPrompt(patient(t), &mcp.GetPromptParams{Name: "review", Arguments: map[string]string{"code": "x"}})
	is.NoErr(err)
	is.Equal(got.Messages[0].Content.(*mcp.TextContent).Text, "Review x")
	_, err = session.GetPrompt(patient(t), &mcp.GetPromptParams{Name: "review"})
	is.True(err != nil) // an argument is missing
	completed, err := session.Complete(patient(t), &mcp.CompleteParams{
		Ref:      &mcp.CompleteReference{Type: "ref/prompt", Name: "review"},
		Argument: mcp.CompleteParamsArgument{Name: "code", Value: "r"},
	})
	is.NoErr(err)
	is.Equal(strings.Join(completed.Completion.Values, " "), "rust")
}

func TestAWalkThroughAThousandToolsSeesEachOnce(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	files := map[string]string{}
	for i := range 1000 {
		files[fmt.Sprintf("tools/t%04d/tool.sh", i)] = "#!/bin/sh\n"
	}
	session := connectTo(t, newProject(t, files), nil)
	seen := map[string]bool{}
	for tool, err := range session.Tools(patient(t), nil) {
		is.NoErr(err)
		is.True(!seen[tool.Name]) // not twice
		seen[tool.Name] = true
	}
	is.Equal(len(seen), 1000)
}

func TestToolsKnowTheRootsOfTheirClient(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	work := t.TempDir()
	root := newProject(t, map[string]string{"tools/where/tool.sh": "#!/bin/sh\nprintf %s \"$MCP_ROOTS_PATHS\"\n"})
	cmd := command(t, "serve", "-C", root)
	client := mcp.NewClient(&mcp.Implementation{Name: "e2e", Version: "1"}, nil)
	client.AddRoots(&mcp.Root{URI: "file://" + filepath.ToSlash(work), Name: "work"})
	session, err := client.Connect(t.Context(), dial(t, cmd),
		&mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	is.NoErr(err)
	defer session.Close()
	real, err := filepath.EvalSymlinks(work)
	is.NoErr(err)
	is.Equal(textOf(call(t, session, "where", "")), real)
}
