package clients

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/matryer/is"
)

func TestMain(m *testing.M) {
	if kind := os.Getenv("FAKE_SERVER"); kind != "" {
		serve(kind)
		return
	}
	os.Exit(m.Run())
}

// serve is a server with manners of many kinds.
func serve(kind string) {
	fmt.Fprintln(os.Stderr, "I am "+kind)
	switch kind {
	case "noisy":
		fmt.Println("Welcome to my server!")
	case "failing":
		os.Exit(3)
	case "leaving":
		return
	}
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct{ Cursor string }
		}
		_ = json.Unmarshal(in.Bytes(), &m)
		answer := func(text string) { fmt.Printf(`{"jsonrpc":"2.0","id":%s,%s}`+"\n", m.ID, text) }
		switch {
		case m.Method == "initialize" && kind == "silent":
		case m.Method == "initialize" && kind == "refusing":
			answer(`"error":{"code":-32600,"message":"go away"}`)
		case m.Method == "initialize":
			answer(`"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"` + kind + `","version":"1.2"}}`)
		case m.Method == "notifications/initialized":
			fmt.Println(`{"jsonrpc":"2.0","id":"q","method":"roots/list"}`)
			fmt.Println(`{"jsonrpc":"2.0","method":"notifications/message","params":{}}`)
		case m.Method == "tools/list" && kind == "odd":
			answer(`"result":{"tools":5}`)
		case m.Method == "tools/list" && kind == "endless":
			answer(`"result":{"tools":[{"name":"a"}],"nextCursor":"again"}`)
		case m.Method == "tools/list" && m.Params.Cursor == "":
			answer(`"result":{"tools":[{"name":"a"},{"name":"b"}],"nextCursor":"2"}`)
		case m.Method == "tools/list":
			answer(`"result":{"tools":[{"name":"c"}]}`)
		}
	}
	if kind == "staying" {
		select {}
	}
}

func fake(t *testing.T, kind string) Launch {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Launch{Command: exe, Env: append(os.Environ(), "FAKE_SERVER="+kind)}
}

func TestAServerIsAskedForItsTools(t *testing.T) {
	is := is.New(t)
	r, err := Try(t.Context(), fake(t, "weather"))
	is.NoErr(err)
	is.Equal(r.Server, "weather")
	is.Equal(r.Version, "1.2")
	is.Equal(r.Protocol, "2025-06-18")
	is.Equal(r.Tools, []string{"a", "b", "c"}) // all pages
	is.Equal(strings.TrimSpace(r.Stderr), "I am weather")
	is.True(r.Took > 0)
}

func TestWhatIsWrongWithAServerIsTold(t *testing.T) {
	for kind, want := range map[string]string{
		"noisy":    `the server wrote "Welcome to my server!" to stdout, where only messages belong`,
		"failing":  "the server ended before it answered: exit status 3",
		"leaving":  "the server ended before it answered",
		"refusing": "initialize was refused: go away (error -32600)",
		"odd":      "the result of tools/list has no tools",
		"endless":  "tools/list does not end",
	} {
		t.Run(kind, func(t *testing.T) {
			is := is.New(t)
			r, err := Try(t.Context(), fake(t, kind))
			is.True(err != nil)
			is.True(strings.HasPrefix(err.Error(), want))       // the reason
			is.Equal(strings.TrimSpace(r.Stderr), "I am "+kind) // what it said to people
		})
	}
}

func TestAServerThatSaysNothingIsNotWaitedForForever(t *testing.T) {
	is := is.New(t)
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	began := time.Now()
	_, err := Try(ctx, fake(t, "silent"))
	is.True(err != nil)
	is.True(strings.HasPrefix(err.Error(), "no answer to initialize within "))
	is.True(time.Since(began) < Patience)
}

func TestAServerThatStaysIsEnded(t *testing.T) {
	is := is.New(t)
	r, err := Try(t.Context(), fake(t, "staying"))
	is.NoErr(err) // it has answered
	is.True(r.Took < Patience)
}

func TestAProgramIsLookedForWhereTheClientLooks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows looks up programs in the PATH of the starting process, so a client's own PATH plays no part")
	}
	is := is.New(t)
	_, err := Try(t.Context(), Launch{Command: "sh", Env: []string{"PATH=/nowhere"}})
	is.Equal(err.Error(), `"sh" is not on the PATH that the client has, /nowhere: file does not exist`)
	_, err = Try(t.Context(), Launch{Command: "/nowhere/mcp-bash"})
	is.True(strings.HasPrefix(err.Error(), "the server does not start: ")) // and why
	program, err := Launch{Command: "sh", Env: []string{"PATH=/nowhere:/bin"}}.program()
	is.NoErr(err)
	is.Equal(program, "/bin/sh")
}

func TestDesktopProgramsHaveABareEnvironment(t *testing.T) {
	is := is.New(t)
	m := ada("darwin")
	m.Env = map[string]string{"PATH": "/opt/homebrew/bin:/usr/bin", "TOKEN": "x", "USER": "ada", "SHELL": "/bin/zsh"}
	is.Equal(Environment(m), []string{"PATH=/usr/bin:/bin:/usr/sbin:/sbin", "HOME=/Users/ada", "USER=ada", "SHELL=/bin/zsh"})
	m.OS = "linux"
	is.True(slices.Contains(Environment(m), "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"))
	is.True(slices.Contains(Environment(Machine{OS: "freebsd", Home: "/home/ada"}), "HOME=/home/ada")) // like Linux
	m = Machine{OS: "windows", Env: map[string]string{"Path": `C:\Windows`, "TOKEN": "x"}}
	is.Equal(Environment(m), []string{`PATH=C:\Windows`}) // names have no case there
}

func TestAClientStartsAnEntryWithItsOwnVariablesAndThoseOfTheEntry(t *testing.T) {
	is := is.New(t)
	m := ada("linux")
	m.Env = map[string]string{"PATH": "/mine", "TOKEN": "x"}
	e := Entry{Command: "/bin/mcp-bash", Env: map[string]string{"A": "1", "TOKEN": "y"}}
	shell := client(t, "codex").Launch(m, e)
	is.Equal(shell.Env, []string{"PATH=/mine", "TOKEN=x", "A=1", "TOKEN=y"}) // all of the shell's
	desktop := client(t, "cursor").Launch(m, e)
	is.True(!slices.Contains(desktop.Env, "PATH=/mine")) // nothing of the shell's
	is.True(slices.Contains(desktop.Env, "A=1"))
	is.Equal(desktop.Dir, "/home/ada")
}

func TestAClientIsPresentWhereItKeepsItsFile(t *testing.T) {
	is := is.New(t)
	m := Machine{OS: runtime.GOOS, Home: t.TempDir(), Env: map[string]string{}}
	for _, c := range All() {
		is.True(!c.Present(m)) // an empty home has none
		paths := c.Paths(m, User, "")
		if paths == nil {
			continue
		}
		f, err := c.File(m, User, "")
		is.NoErr(err)
		paths = slices.DeleteFunc(paths, func(path string) bool { return strings.Contains(path, "*") })
		f = File{Client: c, Path: paths[len(paths)-1]}
		install(t, f, "weather", weather("linux"), false)
		is.True(c.Present(m))
		found, err := c.File(m, User, "")
		is.NoErr(err)
		is.Equal(found.Path, f.Path) // the one that is there
	}
	_, err := client(t, "librechat").File(m, User, "")
	is.Equal(err.Error(), "LibreChat has no file for the user: use another --scope, or name the file with --file")
	f, err := client(t, "vscode").File(m, Project, m.Home)
	is.NoErr(err)
	is.Equal(f.Perm, os.FileMode(0o644)) // files of a project are for all
}

func TestThePackagedClaudeDesktopGetsItsOwnFile(t *testing.T) {
	is := is.New(t)
	local := t.TempDir()
	m := Machine{OS: "windows", Home: t.TempDir(), Env: map[string]string{"LOCALAPPDATA": local}}
	desktop := client(t, "claude-desktop")
	usual := m.join(m.Home, "AppData", "Roaming", "Claude", "claude_desktop_config.json")
	f, err := desktop.File(m, User, "")
	is.NoErr(err)
	is.Equal(f.Path, usual) // no package is installed
	packages := m.join(local, "Packages")
	for _, name := range []string{"AnthropicClaude", "Claude_pzs8sxrjxfjjc"} {
		is.NoErr(os.MkdirAll(filepath.Join(packages, name), 0o700))
	}
	is.NoErr(os.MkdirAll(filepath.Dir(usual), 0o700))
	put(t, usual, "{}") // which the package does not read
	own := packages + `\Claude_pzs8sxrjxfjjc\LocalCache\Roaming\Claude\claude_desktop_config.json`
	f, err = desktop.File(m, User, "")
	is.NoErr(err)
	is.Equal(f.Path, own) // even if there is none yet
	is.True(desktop.Present(m))
}

func TestAFlatpakGetsItsOwnFileWhereItIsTheOnlyOne(t *testing.T) {
	is := is.New(t)
	m := Machine{OS: "linux", Home: t.TempDir(), Env: map[string]string{}}
	own := m.join(m.Home, ".var", "app", "com.visualstudio.code", "config", "Code", "User", "mcp.json")
	is.NoErr(os.MkdirAll(filepath.Dir(own), 0o700))
	vscode := client(t, "vscode")
	f, err := vscode.File(m, User, "")
	is.NoErr(err)
	is.Equal(f.Path, own)
	usual := m.join(m.Home, ".config", "Code", "User", "mcp.json")
	is.NoErr(os.MkdirAll(filepath.Dir(usual), 0o700))
	f, err = vscode.File(m, User, "")
	is.NoErr(err)
	is.Equal(f.Path, usual) // both are there
}
