package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/matryer/is"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// asServer is the environment variable that makes the test binary run as the server.
const asServer = "EMBEDDED_SERVER_PROJECT"

func TestMain(m *testing.M) {
	if project := os.Getenv(asServer); project != "" {
		os.Args = []string{os.Args[0], project}
		main()
		return
	}
	os.Exit(m.Run())
}

func TestTheOfficialClientIsServedThroughTheProgramsOwnStage(t *testing.T) {
	is := is.New(t)
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("bash is not installed, and the example's tool is a bash script")
	}
	project, err := filepath.Abs("../00-hello-tool")
	is.NoErr(err)
	var log strings.Builder
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), asServer+"="+project)
	cmd.Stderr = &log
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	is.NoErr(err)
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "hello"})
	is.NoErr(err)
	is.Equal(result.Content[0].(*mcp.TextContent).Text, "Hello from mcp-bash\n")
	is.NoErr(session.Close())
	is.True(strings.Contains(log.String(), "tools/call took")) // the stage saw it
}

func TestTheMethodOfTheProgramIsServedBesidesThoseOfMCP(t *testing.T) {
	is := is.New(t)
	project, err := filepath.Abs("../00-hello-tool")
	is.NoErr(err)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), asServer+"="+project)
	cmd.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"example/time"}
`)
	out, err := cmd.Output()
	is.NoErr(err)
	is.True(strings.Contains(string(out), `{"jsonrpc":"2.0","id":2,"result":"20`)) // a time
}
