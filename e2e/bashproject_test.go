package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/matryer/is"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/mcp-bash/mcp-bash/v2/e2e/rig"
)

// depot copies the project that was written for the Bash program into a folder, as a
// clone has it, without one of its files.
func depot(t *testing.T, without string) string {
	t.Helper()
	archive, err := txtar.ParseFile("testdata/bashproject.txtar")
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(t.TempDir(), "depot")
	for _, f := range archive.Files {
		if f.Name == without {
			continue
		}
		mode := os.FileMode(0o644)
		if strings.HasPrefix(string(f.Data), "#!") && !strings.HasPrefix(f.Name, "server.d/") {
			mode = 0o755
		}
		rig.WriteProgram(t, filepath.Join(root, filepath.FromSlash(f.Name)), string(f.Data), mode)
	}
	return root
}

// withoutJQ returns a PATH with the programs that the scripts of the project call, but without jq.
func withoutJQ(t *testing.T) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		return "PATH=" + os.Getenv("PATH") // links require a privilege there
	}
	dir := t.TempDir()
	for _, name := range []string{"bash", "sh", "env", "cat", "rm"} {
		path, err := exec.LookPath(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(path, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return "PATH=" + dir
}

// A visitor is a client that accepts all elicitations, and keeps the notifications.
type visitor struct {
	*mcp.ClientSession
	root string
	told chan string
}

// The project registers its lists in both ways; a test uses one of them and leaves out the other.
const byData, byScript = "server.d/register.sh", "server.d/register.json" // the file to leave out

// visit opens a session with the project; the operator allows its hooks.
func visit(t *testing.T, without string, variables ...string) visitor {
	t.Helper()
	v := visitor{root: depot(t, without), told: make(chan string, 100)}
	o := &mcp.ClientOptions{
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"confirmed": true}}, nil
		},
		LoggingMessageHandler: func(_ context.Context, r *mcp.LoggingMessageRequest) {
			v.told <- fmt.Sprintf("%s %s: %v", r.Params.Level, r.Params.Logger, r.Params.Data)
		},
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			v.told <- fmt.Sprintf("%v%% %s", r.Params.Progress, r.Params.Message)
		},
		Capabilities: &mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapabilities{}}, // no roots
	}
	v.ClientSession = connectTo(t, v.root, o, append(variables, withoutJQ(t), "MCPBASH_ALLOW_PROJECT_HOOKS=true", "MCPBASH_TOOL_ALLOWLIST=*")...)
	return v
}

// tools returns the names of all tools.
func (v visitor) tools(t *testing.T) string {
	t.Helper()
	var names []string
	for tool, err := range v.Tools(patient(t), nil) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, tool.Name)
	}
	return strings.Join(names, " ")
}

// resources returns the names and URIs of all resources.
func (v visitor) resources(t *testing.T) string {
	t.Helper()
	var names []string
	for r, err := range v.Resources(patient(t), nil) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, r.Name+" "+strings.TrimPrefix(r.URI, "file://"+filepath.ToSlash(v.root)))
	}
	return strings.Join(names, ", ")
}

// text returns the text of a resource.
func (v visitor) text(t *testing.T, uri string) string {
	t.Helper()
	read, err := v.ReadResource(patient(t), &mcp.ReadResourceParams{URI: uri})
	if err != nil {
		t.Fatal(err)
	}
	return read.Contents[0].Text
}

func TestToolsOfTheBashProgramRunUnchanged(t *testing.T) {
	t.Parallel()
	v := visit(t, byData)
	if got, want := v.tools(t), "depot.args depot.native depot.plain depot.report depot.ship depot.work fail"; got != want {
		t.Fatalf("tools: %s, want %s", got, want)
	}
	for _, c := range []struct{ tool, arguments, want string }{
		{"depot.args", `{"item":"a \"crate\"","count":3,"path":"stock.txt"}`, `{"success":true,"result":` +
			`{"item":"a \"crate\"","count":"3","fast":"false","path":"data/stock.txt","missing":"null","unit":"kg","max":"7","open":"true","client":"none","roots":"1"}}`},
		{"depot.report", `{"who":"Ada"}`, `{"argc":0,"region":"north","stock":"12 crates","tool":"depot.report","who":"Ada"}` + "\n"},
		{"depot.plain", `{}`, `{"dynamic": true}` + "\n"},
		{"depot.work", `{}`, "out after 3 tries"},
		{"depot.ship", `{}`, `{"success":true,"result":{"shipped":true}}`},
	} {
		t.Run(c.tool, func(t *testing.T) {
			is := is.New(t)
			result := call(t, v.ClientSession, c.tool, c.arguments)
			is.True(!result.IsError)                       // it does what it did
			is.Equal(cmp.Diff(c.want, textOf(result)), "") // and says so
			if c.tool == "depot.ship" {
				file, _ := result.Content[1].(*mcp.EmbeddedResource)
				is.Equal(file.Resource.Text, "12 crates\n") // the file is in the answer
			}
		})
	}
	for _, c := range []struct {
		tool, arguments, want string
		code                  int64
	}{
		{"depot.args", `{"item":"x","count":100}`, ".count must be <= 99", -32602},
		{"depot.args", `{"item":"x","path":"/etc/passwd"}`, ".path is outside configured MCP roots", -32602},
		{"fail", `{}`, `no "crates" \ left`, -32050},
		{"depot.native", `{}`, "from a file", -32051},
	} {
		t.Run(c.tool+" "+c.want, func(t *testing.T) {
			is := is.New(t)
			_, err := v.CallTool(patient(t), &mcp.CallToolParams{Name: c.tool, Arguments: json.RawMessage(c.arguments)})
			is.Equal(refusal(t, err), fmt.Sprintf("%d %s", c.code, c.want))
		})
	}
}

// refusal returns the code and message of an error response.
func refusal(t *testing.T, err error) string {
	t.Helper()
	var wire *jsonrpc.Error
	if !errors.As(err, &wire) {
		t.Fatalf("no error of the server: %v", err)
	}
	return fmt.Sprintf("%d %s", wire.Code, wire.Message)
}

func TestToolsOfTheBashProgramTellHowFarTheyAre(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	v := visit(t, byData)
	is.NoErr(v.SetLoggingLevel(patient(t), &mcp.SetLoggingLevelParams{Level: "notice"}))
	params := &mcp.CallToolParams{Name: "depot.work"}
	params.SetProgressToken("7")
	_, err := v.CallTool(patient(t), params)
	is.NoErr(err)
	var told []string
	for range 6 {
		select {
		case one := <-v.told:
			told = append(told, one)
		case <-patient(t).Done():
			t.Fatalf("only this was told: %q", told)
		}
	}
	slices.Sort(told)
	is.Equal(cmp.Diff([]string{
		"10% begun", "30% copied", "60% copied", "90% by hand", // by helpers, and into the stream
		"notice depot: by hand", `warning depot.work: low on "crates"`, // so are logs
	}, told), "")
}

func TestResourcesPromptsAndCompletionsOfTheBashProgramWork(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	v := visit(t, byData)
	is.Equal(v.InitializeResult().Instructions, `Ask \ before you ship.`)
	is.Equal(v.resources(t), "board ui://depot/board, depot.echo echo://depot, depot.note /resources/note%20a.txt")
	is.Equal(v.text(t, "echo://depot"), "depot")
	is.Equal(v.text(t, "memo://7"), `{"memo":"memo://7"}`+"\n") // by a provider of the project
	is.Equal(v.text(t, "file://"+filepath.ToSlash(v.root)+"/resources/note%20a.txt"), "first line\n\n")
	is.True(strings.HasPrefix(v.text(t, "ui://depot/board"), "<!doctype html>"))
	_, err := v.ReadResource(patient(t), &mcp.ReadResourceParams{URI: "memo://none"})
	is.True(strings.HasPrefix(refusal(t, err), "-32002 Resource not found")) // exit code 3

	prompt, err := v.GetPrompt(patient(t), &mcp.GetPromptParams{Name: "depot.greet", Arguments: map[string]string{"name": "Ann", "city": "Rome"}})
	is.NoErr(err)
	is.Equal(prompt.Messages[0].Content.(*mcp.TextContent).Text, "Greet Ann of ${name} in Rome.\n")
	is.Equal(prompt.Messages[0].Role, mcp.Role("assistant"))

	completed, err := v.Complete(patient(t), &mcp.CompleteParams{
		Ref:      &mcp.CompleteReference{Type: "ref/prompt", Name: "depot.greet"},
		Argument: mcp.CompleteParamsArgument{Name: "city", Value: "o"},
	})
	is.NoErr(err)
	is.Equal(strings.Join(completed.Completion.Values, " "), "oslo ottawa") // by the script that register.json names
}

func TestThePolicyOfTheBashProgramSeesTheOperatorsVariables(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	v := visit(t, byData, "DEPOT_READ_ONLY=1")
	_, err := v.CallTool(patient(t), &mcp.CallToolParams{Name: "depot.plain"})
	is.Equal(refusal(t, err), "-32602 Tool 'depot.plain' is off: read-only")
	is.True(!call(t, v.ClientSession, "depot.report", "").IsError) // it only reads
}

func TestRegistrationByAScriptOfTheBashProgramWorks(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	v := visit(t, byScript, "DEPOT_EXTRA=1")
	is.Equal(v.tools(t), "depot.dynamic")
	is.Equal(textOf(call(t, v.ClientSession, "depot.dynamic", "")), `{"dynamic": true}`+"\n")
	is.Equal(v.resources(t), "board ui://depot/board, extra memo://extra") // pages were a list of their own
}

func TestListsThatTheBashProgramKeptAreServed(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	v := visit(t, byData, "MCPBASH_STATIC_REGISTRY=1")
	is.Equal(v.tools(t), "depot.kept")
	is.Equal(textOf(call(t, v.ClientSession, "depot.kept", "")), `{"dynamic": true}`+"\n")
	is.Equal(v.resources(t), "board ui://depot/board, depot.note /resources/note%20a.txt") // where the project is now
	prompt, err := v.GetPrompt(patient(t), &mcp.GetPromptParams{Name: "depot.greet", Arguments: map[string]string{"name": "Ann"}})
	is.NoErr(err)
	is.Equal(prompt.Messages[0].Content.(*mcp.TextContent).Text, "Greet Ann of ${name} in {{city}}.\n") // the list names no city
}

func TestRunToolRunsToolsOfTheBashProgram(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	cmd := command(t, "run-tool", "depot.report", "--args", `{"who":"Ada"}`, "--allow-self", "--project-root", depot(t, byData))
	cmd.Env = append(cmd.Env, withoutJQ(t), "MCPBASH_ALLOW_PROJECT_HOOKS=true",
		"MCPBASH_TOOL_ENV_MODE=allowlist", "MCPBASH_TOOL_ENV_ALLOWLIST=DEPOT_REGION", "DEPOT_REGION=south")
	out, err := cmd.Output()
	is.NoErr(err)
	is.True(strings.Contains(string(out), `"structuredContent":{"argc":0,"region":"south",`))
}
