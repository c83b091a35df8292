package e2e

import (
	"archive/zip"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/matryer/is"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-bash/mcp-bash/v2/e2e/rig"
)

// install unpacks a bundle as clients do and returns the command of its manifest for
// this system.
func install(t *testing.T, path, dir string, settings map[string]string) *exec.Cmd {
	t.Helper()
	is := is.New(t)
	z, err := zip.OpenReader(path)
	is.NoErr(err)
	defer z.Close()
	for _, f := range z.File {
		to := filepath.Join(dir, filepath.FromSlash(f.Name))
		is.NoErr(os.MkdirAll(filepath.Dir(to), 0o755))
		r, err := f.Open()
		is.NoErr(err)
		data, err := io.ReadAll(r)
		is.NoErr(err)
		rig.WriteProgram(t, to, string(data), f.Mode())
	}
	text, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	is.NoErr(err)
	type launch struct {
		Command string            `json:"command"`
		Args    []string          `json:"args"`
		Env     map[string]string `json:"env"`
	}
	var manifest struct {
		Server struct {
			Config struct {
				launch
				Overrides map[string]launch `json:"platform_overrides"`
			} `json:"mcp_config"`
		} `json:"server"`
	}
	is.NoErr(json.Unmarshal(text, &manifest))
	start := manifest.Server.Config.launch
	if o := manifest.Server.Config.Overrides[strings.Replace(runtime.GOOS, "windows", "win32", 1)]; o.Command != "" {
		start.Command = o.Command
	}
	fill := func(text string) string {
		text = strings.ReplaceAll(text, "${__dirname}", dir)
		for key, value := range settings {
			text = strings.ReplaceAll(text, "${user_config."+key+"}", value)
		}
		return text
	}
	cmd := exec.Command(fill(start.Command))
	for _, arg := range start.Args {
		cmd.Args = append(cmd.Args, fill(arg))
	}
	cmd.Dir = t.TempDir()
	cmd.Env = append(bare(), "HOME="+t.TempDir())
	for name, value := range start.Env {
		cmd.Env = append(cmd.Env, name+"="+fill(value))
	}
	return cmd
}

// bundled creates a bundle of a project and returns its path.
func bundled(t *testing.T, project string, args ...string) string {
	t.Helper()
	out := t.TempDir()
	cmd := command(t, append([]string{"bundle", "-C", project, "--output", out}, args...)...)
	if text, err := cmd.Output(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	made, _ := filepath.Glob(filepath.Join(out, "*.mcpb"))
	if len(made) != 1 {
		t.Fatalf("made %v", made)
	}
	return made[0]
}

// asks starts a command and opens a session of the official client with it.
func asks(t *testing.T, cmd *exec.Cmd) *mcp.ClientSession {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "e2e", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), dial(t, cmd), &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := session.Close(); err != nil {
			t.Errorf("the server ended with: %v", err)
		}
	})
	return session
}

// projectOf writes files as a project and returns its folder.
func projectOf(t *testing.T, files map[string]string) string {
	t.Helper()
	root := filepath.Join(t.TempDir(), "packed")
	for name, text := range files {
		rig.WriteProgram(t, filepath.Join(root, filepath.FromSlash(name)), text, 0o755)
	}
	return root
}

func TestAnInstalledBundleServesItsProject(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	root := projectOf(t, map[string]string{
		"tools/greet/tool.sh":        "#!/usr/bin/env bash\n. \"$MCP_SDK/tool-sdk.sh\"\n. \"$MCPBASH_PROJECT_ROOT/lib/words.sh\"\necho \"$HELLO $(mcp_args_get .name)\"\n",
		"tools/greet/tool.meta.json": `{"inputSchema":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}}`,
		"lib/words.sh":               "HELLO=Hello,\n",
		"resources/note.md":          "# A note\n",
		"mcpb.conf":                  "MCPB_AUTHOR_NAME=Ada\n",
	})
	path := bundled(t, root)
	is.NoErr(os.RemoveAll(root)) // the bundle needs nothing else
	session := asks(t, install(t, path, t.TempDir(), nil))
	is.Equal(session.InitializeResult().ServerInfo.Name, "packed") // the name of the folder is kept
	result := call(t, session, "greet", `{"name":"Ada"}`)
	is.True(!result.IsError)
	is.Equal(textOf(result), "Hello, Ada\n")
	resources, err := session.ListResources(patient(t), nil)
	is.NoErr(err)
	is.Equal(len(resources.Resources), 1)
}

func TestTheSettingsOfABundleReachItsTools(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	root := projectOf(t, map[string]string{
		"tools/show/tool.sh":        "#!/bin/sh\necho \"token=${TOKEN-unset} city=${CITY-unset}\"\n",
		"server.d/server.meta.json": `{"description":"d","user_config":{"token":{"type":"string","title":"Token","description":"d","sensitive":true},"city":{"type":"string","title":"City","description":"d"}},"user_config_env_map":{"token":"TOKEN","city":"CITY"}}`,
		"mcpb.conf":                 "MCPB_AUTHOR_NAME=Ada\nMCPB_STATIC=true\n",
	})
	dir := t.TempDir()
	path := bundled(t, root)
	session := asks(t, install(t, path, dir, map[string]string{"token": "t0"}))
	is.Equal(textOf(call(t, session, "show", "")), "token=t0 city=unset\n") // one that the user left empty is not set
	is.NoErr(os.RemoveAll(filepath.Join(dir, "project", "packed", "tools", "show", "tool.sh")))
	tools, err := session.ListTools(patient(t), nil)
	is.NoErr(err)
	is.Equal(len(tools.Tools), 1) // the list is the one that was packed
}
