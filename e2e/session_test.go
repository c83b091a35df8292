package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/matryer/is"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-bash/mcp-bash/v2/e2e/rig"
)

// connect opens a session of the official client with a server on the workshop.
// Variables are added to the server's environment. At the end of the test the
// client closes the session as the protocol requires, and the server must exit
// without an error.
func connect(t *testing.T, o *mcp.ClientOptions, variables ...string) *mcp.ClientSession {
	t.Helper()
	return connectTo(t, workshop, o, variables...)
}

// connectTo is connect for another project.
func connectTo(t *testing.T, project string, o *mcp.ClientOptions, variables ...string) *mcp.ClientSession {
	t.Helper()
	cmd := command(t, "serve", "-C", project)
	cmd.Env = append(cmd.Env, variables...)
	client := mcp.NewClient(&mcp.Implementation{Name: "e2e", Version: "1"}, o)
	session, err := client.Connect(t.Context(), dial(t, cmd),
		&mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
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

// dial starts a server and returns the client's transport to it, with the checks of
// start.
func dial(t *testing.T, cmd *exec.Cmd) mcp.Transport {
	t.Helper()
	s := start(t, cmd)
	s.pipe.SetReadDeadline(time.Time{}) // the client reads all the time
	return &mcp.IOTransport{Reader: io.NopCloser(s.out), Writer: input{s.in, ending{s}}}
}

// An ending closes a session as clients do: the server reads the end of its input
// and exits by itself.
type ending struct{ *server }

func (e ending) Close() error {
	if err := e.in.Close(); err != nil {
		return err
	}
	if code := e.wait(); code != 0 {
		return fmt.Errorf("exit code %d", code)
	}
	return nil
}

// patient returns a context with the timeout of tests.
func patient(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), rig.Patience)
	t.Cleanup(cancel)
	return ctx
}

// call calls a tool that must return a result. Arguments are JSON, "" for none.
func call(t *testing.T, session *mcp.ClientSession, tool, arguments string) *mcp.CallToolResult {
	t.Helper()
	params := &mcp.CallToolParams{Name: tool}
	if arguments != "" {
		params.Arguments = json.RawMessage(arguments)
	}
	result, err := session.CallTool(patient(t), params)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// textOf joins the texts of a result.
func textOf(result *mcp.CallToolResult) string {
	var texts []string
	for _, block := range result.Content {
		if text, ok := block.(*mcp.TextContent); ok {
			texts = append(texts, text.Text)
		}
	}
	return strings.Join(texts, "\n")
}

func TestTheClientLearnsWhoTheServerIs(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	agreed := connect(t, nil).InitializeResult()
	is.Equal(agreed.ProtocolVersion, "2025-11-25")                  // the newest that is opened by initialize
	is.Equal(agreed.ServerInfo.Name, "workshop")                    // from server.d/server.meta.json
	is.Equal(agreed.ServerInfo.Title, "The Workshop")               // too
	is.Equal(agreed.Instructions, "Call gallery to see something.") // from server.d/server.instructions.md
	is.True(agreed.Capabilities.Tools != nil)                       // tools are offered
	is.True(agreed.Capabilities.Logging != nil)                     // log messages too
}

func TestAClientThatNegotiatesFindsARevision(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	client := mcp.NewClient(&mcp.Implementation{Name: "e2e", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), dial(t, command(t, "serve", "-C", workshop)), nil)
	is.NoErr(err) // the client starts with the newest revision that it knows
	is.Equal(textOf(call(t, session, "echo", `{"a":1}`)), `{"a":1}`)
	is.NoErr(session.Close()) // the server ends without a fault
}

func TestManyCallsAtOnceGetEachItsOwnAnswer(t *testing.T) {
	t.Parallel()
	session := connect(t, nil)
	var calls sync.WaitGroup
	for i := range 64 {
		calls.Go(func() {
			arguments := fmt.Sprintf(`{"call":%d}`, i)
			result, err := session.CallTool(patient(t), &mcp.CallToolParams{Name: "echo", Arguments: json.RawMessage(arguments)})
			if err != nil {
				t.Errorf("call %d: %v", i, err)
			} else if got := textOf(result); got != arguments {
				t.Errorf("call %d was answered %s", i, got)
			}
		})
	}
	calls.Wait()
}

func TestLargeArgumentsArriveByteForByte(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	var text strings.Builder
	for i := 0; text.Len() < 5<<20; i++ {
		fmt.Fprintf(&text, "%d: \"quoted\" \\ \t\r\n\x01 äöü € 😀\n", i)
	}
	arguments, err := json.Marshal(map[string]string{"text": text.String()})
	is.NoErr(err)
	got := textOf(call(t, connect(t, nil), "echo", string(arguments)))
	is.Equal(len(got), len(arguments))
	is.True(got == string(arguments))
}
