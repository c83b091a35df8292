//go:build unix

// Package others tests mcp-bash in front of servers that other people wrote, with their libraries in TypeScript, Go and
// Python: a conversation with the server itself and one through mcp-bash wrap differ in nothing but what a rule takes out.
package others

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/e2e/rig"
	"github.com/mcp-bash/mcp-bash/v2/internal/shelltest"
)

// binary is the built program.
var binary string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "mcp-bash-others.")
		if err == nil {
			defer os.RemoveAll(dir)
			binary = filepath.Join(dir, "mcp-bash")
			err = rig.Build(dir, "mcp-bash")
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		os.Setenv("GOPROXY", "off") // servers of modules that are not downloaded are skipped
		shelltest.AtOnce(4)         // the tests wait for servers
		return m.Run()
	}())
}

// A server of somebody else, with a conversation: each call is sent when the one before was answered.
type server struct {
	name    string
	command func(t *testing.T) []string
	calls   []string // method and params, separated by a blank
	echo    string   // the params of a call that is sent 64 times at once
	hidden  string   // a tool that is denied in the end
	tells   string   // what it sends by itself some time after initialize; the client stays until then
}

var servers = []server{
	{
		name: "everything, TypeScript", command: fromNPM("server-everything", "stdio"),
		calls: []string{
			`tools/list`, `resources/list`, `resources/templates/list`, `prompts/list`, `ping`,
			`tools/call {"name":"get-sum","arguments":{"a":1e0,"b":2.50}}`,
			`tools/call {"name":"get-tiny-image"}`,
			`tools/call {"name":"get-structured-content","arguments":{"location":"Chicago"}}`,
			`tools/call {"name":"get-annotated-message","arguments":{"messageType":"error","includeImage":true}}`,
			`tools/call {"name":"trigger-long-running-operation","arguments":{"duration":0.1,"steps":3},"_meta":{"progressToken":"p"}}`,
			`prompts/get {"name":"args-prompt","arguments":{"city":"Z\u00fcrich"}}`,
			`completion/complete {"ref":{"type":"ref/prompt","name":"completable-prompt"},"argument":{"name":"department","value":"E"}}`,
			`resources/read {"uri":"demo://resource/static/document/architecture.md"}`,
			`tools/call {"name":"no-such-tool"}`, `no/such/method`,
		},
		echo: `{"name":"echo","arguments":{"message":"m"}}`, hidden: "get-env",
		tells: "Roots updated",
	},
	{
		name: "filesystem, TypeScript", command: func(t *testing.T) []string {
			dir := filepath.Join(filepath.Dir(binary), "files") // the same each time: its name is in answers
			if err := errors.Join(os.RemoveAll(dir), os.Mkdir(dir, 0o700)); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte(strings.Repeat("Grüße\n", 10_000)), 0o600); err != nil {
				t.Fatal(err)
			}
			return fromNPM("server-filesystem", dir)(t)
		},
		calls: []string{
			`tools/list`, `tools/call {"name":"read_text_file","arguments":{"path":"a.txt"}}`,
			`tools/call {"name":"read_text_file","arguments":{"path":"/etc/passwd"}}`,
			`tools/call {"name":"write_file","arguments":{"path":"b.txt","content":"\ud83d\ude00 \u2028"}}`,
			`tools/call {"name":"search_files","arguments":{"path":".","pattern":"*.txt"}}`, `prompts/list`,
		},
		echo: `{"name":"list_directory","arguments":{"path":"."}}`, hidden: "move_file",
	},
	{
		name: "memory, TypeScript", command: func(t *testing.T) []string {
			return append([]string{"env", "MEMORY_FILE_PATH=" + filepath.Join(t.TempDir(), "memory.jsonl")}, fromNPM("server-memory")(t)...)
		},
		calls: []string{
			`tools/list`, `tools/call {"name":"create_entities","arguments":{"entities":[{"name":"Ada","entityType":"person","observations":["counts"]}]}}`,
			`tools/call {"name":"search_nodes","arguments":{"query":"Ada"}}`,
			`tools/call {"name":"create_entities","arguments":{"entities":"none"}}`,
		},
		echo: `{"name":"read_graph","arguments":{}}`, hidden: "delete_entities",
	},
	{
		name: "everything, go-sdk", command: built("github.com/modelcontextprotocol/go-sdk/examples/server/everything", "."),
		calls: []string{
			`tools/list`, `prompts/list`, `resources/list`, `ping`, `tools/call {"name":"greet","arguments":{"name":"\u00e4"}}`,
			`tools/call {"name":"greet (structured)","arguments":{"name":"x"}}`, `tools/call {"name":"roots"}`,
			`resources/read {"uri":"embedded:info"}`, `prompts/get {"name":"greet","arguments":{"name":"x"}}`, `no/such/method`,
		},
		echo: `{"name":"greet","arguments":{"name":"m"}}`, hidden: "log",
	},
	{
		name: "everything, mcp-go", command: built("github.com/mark3labs/mcp-go/examples/everything", "../../bench"),
		calls: []string{
			`tools/list`, `prompts/list`, `resources/list`, `tools/call {"name":"add","arguments":{"a":1.0,"b":2}}`,
			`tools/call {"name":"longRunningOperation","arguments":{"duration":0.1,"steps":2},"_meta":{"progressToken":7}}`,
			`resources/read {"uri":"test://static/resource/1"}`, `no/such/method`,
		},
		echo: `{"name":"echo","arguments":{"message":"m"}}`, hidden: "getTinyImage",
	},
	{
		name: "standard library, Python", command: python,
		calls: []string{
			`tools/list`, `tools/call {"name":"echo","arguments":{"text":"a"},"_meta":{"progressToken":1.0}}`, `no/such/method`,
		},
		echo: `{"name":"echo","arguments":{"text":"m"}}`, hidden: "quit",
	},
}

func TestNobodySeesADifferenceBehindWrap(t *testing.T) {
	for _, s := range servers {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			is := is.New(t)
			alone := s.converse(t, s.command(t))
			wrapped := s.converse(t, append([]string{binary, "wrap", "--"}, s.command(t)...))
			is.Equal(wrapped, alone)

			guarded := s.converse(t, append([]string{binary, "wrap", "--deny", s.hidden, "--"}, s.command(t)...))
			list := slices.IndexFunc(s.calls, func(c string) bool { return c == "tools/list" }) + 1
			is.True(strings.Contains(alone[fmt.Sprint(list)], `"name":`+quoted(s.hidden)) ||
				strings.Contains(alone[fmt.Sprint(list)], `"name": `+quoted(s.hidden)))
			is.True(!strings.Contains(guarded[fmt.Sprint(list)], quoted(s.hidden))) // it is not listed
			delete(guarded, fmt.Sprint(list))
			delete(alone, fmt.Sprint(list))
			is.Equal(guarded, alone) // nothing else
		})
	}
}

func TestNobodySeesADifferenceOverHTTP(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	s := servers[0]
	port, err := net.Listen("tcp", "127.0.0.1:0")
	is.NoErr(err)
	address := port.Addr().String()
	is.NoErr(port.Close())
	argv := fromNPM("server-everything", "streamableHttp")(t)
	cmd := exec.Command(argv[0], argv[1:]...)
	_, number, _ := net.SplitHostPort(address)
	cmd.Env = append(os.Environ(), "PORT="+number)
	said, err := cmd.StderrPipe()
	is.NoErr(err)
	is.NoErr(cmd.Start())
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	lines := bufio.NewScanner(said)
	for lines.Scan() && !strings.Contains(lines.Text(), "listening") {
	}
	go io.Copy(io.Discard, said)
	alone := s.converse(t, s.command(t))
	far := s.converse(t, []string{binary, "wrap", "--url", "http://" + address + "/mcp"})
	delete(alone, "") // what it says by itself comes when it wants to
	delete(far, "")
	is.Equal(far, alone)
}

func quoted(text string) string { return fmt.Sprintf("%q", text) }

// converse has the conversation, and returns the line that answers each call, and under "" all others, sorted: servers
// send them when they want to.
func (s server) converse(t *testing.T, command []string) map[string]string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), rig.Patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Dir = t.TempDir()
	in, out := rig.Start(t, cmd)
	got, others := make(map[string]string), []string{}
	lines := bufio.NewReader(out)
	read := func() error {
		line, err := lines.ReadString('\n')
		if err != nil {
			return err
		}
		line = strings.TrimSuffix(line, "\n")
		var m struct {
			ID     json.RawMessage
			Method string
		}
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatalf("not a message: %s", line)
		}
		if m.ID == nil || m.Method != "" {
			others = append(others, line)
			if m.ID != nil {
				fmt.Fprintf(in, `{"jsonrpc":"2.0","id":%s,"result":{"roots":[]}}`+"\n", m.ID)
			}
			return nil
		}
		got[string(m.ID)] = line
		return nil
	}
	await := func(ids ...string) {
		for _, id := range ids {
			for got[id] == "" {
				if err := read(); err != nil {
					t.Fatalf("no answer to call %s of %s: %v", id, command, err)
				}
			}
		}
	}
	io.WriteString(in, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18",`+
		`"capabilities":{"roots":{}},"clientInfo":{"name":"others","version":"1"}}}`+"\n")
	await("0")
	io.WriteString(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	for i, call := range s.calls {
		method, params, _ := strings.Cut(call, " ")
		if params == "" {
			params = "{}"
		}
		fmt.Fprintf(in, `{"jsonrpc":"2.0", "id":%d,"method":%q,"params":%s}`+"\n", i+1, method, params)
		await(fmt.Sprint(i + 1))
	}
	var burst []string
	for i := range 64 {
		burst = append(burst, fmt.Sprintf(`"b%d"`, i))
		fmt.Fprintf(in, `{"id":"b%d","jsonrpc":"2.0","method":"tools/call","params":%s}`+"\n", i, s.echo)
	}
	await(burst...)
	for s.tells != "" && !strings.Contains(strings.Join(others, ""), s.tells) {
		if err := read(); err != nil {
			t.Fatalf("%s does not tell %q: %v", command, s.tells, err)
		}
	}
	in.Close()
	hanging := time.AfterFunc(5*time.Second, func() { _ = cmd.Process.Kill() }) // one waits a minute for its timers
	defer hanging.Stop()
	for read() == nil {
	}
	_ = cmd.Wait() // some servers exit with an error at the end of their input
	slices.Sort(others)
	got[""] = strings.Join(others, "\n")
	return got
}

// fromNPM returns the command of a server that install.sh has installed.
func fromNPM(name string, args ...string) func(*testing.T) []string {
	return func(t *testing.T) []string {
		dir := os.Getenv("OTHERS_DIR")
		if cache, err := os.UserCacheDir(); dir == "" && err == nil {
			dir = filepath.Join(cache, "mcp-bash", "others")
		}
		program := filepath.Join(dir, "node_modules", ".bin", "mcp-"+name)
		if _, err := os.Stat(program); err != nil {
			t.Skip("the server is not installed: run e2e/others/install.sh, which needs npm and the network")
		}
		return append([]string{program}, args...)
	}
}

// built returns the command of a server that is a package of a module that the module in dir requires.
func built(pkg, dir string) func(*testing.T) []string {
	program := sync.OnceValues(func() (string, error) {
		to := filepath.Join(filepath.Dir(binary), strings.ReplaceAll(pkg, "/", "-"))
		text, err := rig.Package(dir, pkg, to)
		if err != nil {
			err = fmt.Errorf("%w\n%s", err, text)
		}
		return to, err
	})
	return func(t *testing.T) []string {
		to, err := program()
		if err != nil && strings.Contains(err.Error(), "GOPROXY=off") {
			t.Skipf("the module is not downloaded: run go -C %s mod download", dir)
		} else if err != nil {
			t.Fatal(err)
		}
		return []string{to}
	}
}

func python(t *testing.T) []string {
	program, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("the server is a script in Python, which is not on this machine")
	}
	script, err := filepath.Abs("server.py")
	if err != nil {
		t.Fatal(err)
	}
	return []string{program, script}
}
