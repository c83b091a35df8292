// Package interceptors holds the cases that show what interceptors do, apart from any language, and takes them
// through every door of ours.
package interceptors

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/matryer/is"
	"github.com/sourcegraph/jsonrpc2"

	"github.com/mcp-bash/mcp-bash/v2/e2e/rig"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/dial"
	"github.com/mcp-bash/mcp-bash/v2/internal/interceptor"
	"github.com/mcp-bash/mcp-bash/v2/internal/jq"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/server"
)

// The cases, and the rules that they use, as metadata.
type fixtures struct {
	Rules map[string]json.RawMessage
	Cases []fixture
}

type fixture struct {
	Name  string
	Rules []string
	List  *struct {
		Event string
		Want  []string
	}
	Invoke *struct {
		Name, Phase string
		Payload     json.RawMessage
		Want        map[string]any
		Code        int64
	}
	Steps []step
}

// A step is one message. Want and Refused are for the side of a client, which is in front of a boundary of trust; where
// the order of a server gives something else, there are others.
type step struct {
	Event, Phase, Session, Tool, Say string
	Payload                          json.RawMessage
	Want, Refused                    string
	ServerWant, ServerRefused        string
}

func (s step) client() (want, refused string) { return s.Want, s.Refused }

func (s step) server() (want, refused string) {
	if s.ServerWant != "" || s.ServerRefused != "" {
		return s.ServerWant, s.ServerRefused
	}
	return s.Want, s.Refused
}

// binary is the built mcp-bash.
var binary string

// TestMain lets the program of the tests be jq for the scripts, as mcp-bash is.
func TestMain(m *testing.M) {
	if jq.IsLink(os.Args[0]) {
		os.Exit(jq.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Environ()))
	}
	dir, err := os.MkdirTemp("", "interceptors-")
	if err == nil {
		binary = filepath.Join(dir, "mcp-bash")
		err = rig.Build(dir, "mcp-bash")
	}
	status := 1
	if err == nil {
		status = m.Run()
	} else {
		fmt.Fprintln(os.Stderr, err)
	}
	os.RemoveAll(dir)
	os.Exit(status)
}

func TestTheCasesThroughEveryDoor(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the tools are shell scripts")
	}
	text, err := os.ReadFile("cases.json")
	if err != nil {
		t.Fatal(err)
	}
	var all fixtures
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	is.New(t).Equal(len(all.Cases), 24)
	for _, c := range all.Cases {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			open := project(t, all.Rules, c)
			t.Run("invoke", func(t *testing.T) { c.invoked(t, open()) })
			t.Run("chain", func(t *testing.T) { c.chained(t, open()) })
			t.Run("serve", func(t *testing.T) { c.served(t, step.server, open) })
			t.Run("merged", func(t *testing.T) { c.served(t, step.server, merged(t, all.Rules, c)) })
			t.Run("wrap", func(t *testing.T) { c.served(t, step.client, wrapped(t, all.Rules, c)) })
		})
	}
}

// project makes a project with the rules of a case and tools that say what they are told. It returns a function that
// opens a session.
func project(t *testing.T, rules map[string]json.RawMessage, c fixture) (open func() *dial.Session) {
	t.Helper()
	root := t.TempDir()
	put(t, root, "server.d/server.meta.json", `{"interceptors": {"serve": true}}`)
	putTools(t, root)
	putRules(t, filepath.Join(root, "interceptors"), rules, c)
	return served(t, root)
}

// merged makes a project that has its interceptors from another server.
func merged(t *testing.T, rules map[string]json.RawMessage, c fixture) (open func() *dial.Session) {
	t.Helper()
	root, other := t.TempDir(), t.TempDir()
	putRules(t, filepath.Join(other, "interceptors"), rules, c)
	putTools(t, root)
	line, err := json.Marshal([]string{binary, "serve", "-C", other})
	if err != nil {
		t.Fatal(err)
	}
	put(t, root, "interceptors/other/other.meta.json", `{"server": `+string(line)+`}`)
	return served(t, root)
}

// served serves a project.
func served(t *testing.T, root string) (open func() *dial.Session) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s, err := server.Open(t.Context(), server.Options{ProjectRoot: root, Program: program, Environ: os.Environ(),
		Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Policy: server.Policy{Hooks: server.GuardHooks}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return func() *dial.Session {
		ours, theirs := net.Pipe()
		go s.Serve(context.Background(), pipeline.NewNDJSON(ours, ours, 1<<20))
		return connect(t, theirs)
	}
}

// wrapped puts a folder of the rules of a case in front of a server that has none. Each session has a server of its own.
func wrapped(t *testing.T, rules map[string]json.RawMessage, c fixture) (open func() *dial.Session) {
	t.Helper()
	root, folder := t.TempDir(), t.TempDir()
	putTools(t, root)
	putRules(t, folder, rules, c)
	return func() *dial.Session {
		program, err := dial.Start(exec.Command(binary, "wrap", "--interceptors", folder, "--", binary, "serve", "-C", root))
		if err != nil {
			t.Fatal(err)
		}
		return connect(t, program)
	}
}

func connect(t *testing.T, stream io.ReadWriteCloser) *dial.Session {
	session, err := dial.Open(t.Context(), stream, dial.Options{Version: "1", Audience: nobody{}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

func put(t *testing.T, root, name, text string) {
	t.Helper()
	path := filepath.Join(root, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644),
		os.Chmod(root, 0o755)); err != nil {
		t.Fatal(err)
	}
}

func putTools(t *testing.T, root string) {
	t.Helper()
	for _, tool := range []string{"echo", "mail_read", "mail_send", "web_post"} {
		put(t, root, "tools/"+tool+"/tool.meta.json", `{"description": "Says it.", "inputSchema": {"type": "object",
			"properties": {"say": {"type": "string"}}}, "argv": ["printf", "%s", "{say}"]}`)
	}
}

func putRules(t *testing.T, folder string, rules map[string]json.RawMessage, c fixture) {
	t.Helper()
	for _, name := range c.Rules {
		put(t, folder, name+"/"+name+".meta.json", string(rules[name]))
		if name == "guard" {
			script, err := os.ReadFile("../../examples/33-cross-server/interceptors/guard/guard.sh")
			if err != nil {
				t.Fatal(err)
			}
			rig.WriteProgram(t, filepath.Join(folder, "guard/guard.sh"), string(script), 0o755)
		}
	}
}

// invoked asks the interceptors one by one.
func (c fixture) invoked(t *testing.T, s *dial.Session) {
	is := is.New(t)
	if c.List != nil {
		params := map[string]any{}
		if c.List.Event != "" {
			params["event"] = c.List.Event
		}
		text, err := s.Call(t.Context(), interceptor.MethodList, params)
		is.NoErr(err)
		var listed struct{ Interceptors []interceptor.Definition }
		is.NoErr(json.Unmarshal(text, &listed))
		var names []string
		for _, d := range listed.Interceptors {
			names = append(names, d.Name)
		}
		is.Equal(names, c.List.Want)
	}
	if c.Invoke == nil {
		return
	}
	text, err := s.Call(t.Context(), interceptor.MethodInvoke, map[string]any{"name": c.Invoke.Name, "event": "tools/call",
		"phase": c.Invoke.Phase, "payload": c.Invoke.Payload})
	if c.Invoke.Code != 0 {
		var wire *jsonrpc2.Error
		is.True(errors.As(err, &wire))
		is.Equal(wire.Code, c.Invoke.Code)
		return
	}
	is.NoErr(err)
	var got map[string]any
	is.NoErr(json.Unmarshal(text, &got))
	delete(got, "durationMs")
	is.Equal(got, c.Invoke.Want)
}

// chained takes the messages past the interceptors of another server, as a client does that has collected them.
func (c fixture) chained(t *testing.T, s *dial.Session) {
	is := is.New(t)
	if c.Steps == nil {
		t.Skip("this case is one interceptor/invoke, and no message passes")
	}
	all, err := interceptor.Of(t.Context(), s.Call)
	is.NoErr(err)
	set := &interceptor.Set{All: all}
	for _, step := range c.Steps {
		d := interceptor.Sending
		if step.Phase == interceptor.Response {
			d = interceptor.Receiving
		}
		got, err := set.Pass(t.Context(), d, interceptor.Question{Event: step.Event, Phase: step.Phase, Payload: step.Payload,
			Context: json.RawMessage(`{"sessionId":"` + step.Session + `","subject":"` + step.Tool + `"}`)})
		if step.Refused != "" {
			is.True(err != nil && strings.Contains(err.Error(), step.Refused))
			continue
		}
		is.NoErr(err)
		is.Equal(said(t, got), step.Want)
	}
}

// served calls tools, in a session for each of the case's.
func (c fixture) served(t *testing.T, expected func(step) (want, refused string), open func() *dial.Session) {
	is := is.New(t)
	if c.Steps == nil {
		t.Skip("this case is one interceptor/invoke, and no message passes")
	}
	sessions := map[string]*dial.Session{}
	for _, step := range c.Steps {
		if sessions[step.Session] == nil {
			sessions[step.Session] = open()
		}
		text, err := sessions[step.Session].Call(t.Context(), "tools/call",
			map[string]any{"name": step.Tool, "arguments": map[string]string{"say": step.Say}})
		is.NoErr(err)
		var result struct{ IsError bool }
		is.NoErr(json.Unmarshal(text, &result))
		want, refused := expected(step)
		if refused != "" {
			is.True(result.IsError && strings.Contains(said(t, text), refused))
			continue
		}
		is.Equal(result.IsError, false)
		is.Equal(said(t, text), want)
	}
}

// said is the text of a payload.
func said(t *testing.T, payload json.RawMessage) string {
	t.Helper()
	var p struct {
		Arguments struct{ Say string }
		Content   []struct{ Text string }
	}
	if err := json.Unmarshal(payload, &p); err != nil {
		t.Fatal(err)
	}
	if len(p.Content) > 0 {
		return p.Content[0].Text
	}
	return p.Arguments.Say
}

// nobody is a user who is not there.
type nobody struct{}

func (nobody) Notify(string, json.RawMessage) {}

func (nobody) Elicit(context.Context, json.RawMessage) (any, error) {
	return nil, errors.New("nobody is here")
}

func (nobody) Answers() bool { return false }
