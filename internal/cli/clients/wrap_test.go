package clients

import (
	"strings"
	"testing"

	"github.com/matryer/is"
)

// withServers are files of clients with two servers that can be wrapped, written as no program would.
var withServers = map[string]string{
	"cursor": `{ "mcpServers": { // mine
  "files": {"command":"npx", "args": [ "-y",   "@modelcontextprotocol/server-filesystem" /* all */ , "/home/ada"]},
  "notes" : { "env": {"A": "1"}, "command": "notes" },
  "far": {"url": "https://mcp.example", "headers": {"X-Key": "1"}},
}}`,
	"codex": "model = 'x' # mine\n[mcp_servers.files]\nargs = [\n  '-y', # yes\n  'server-filesystem',\n]\ncommand = \"npx\"\n\n" +
		"[mcp_servers.notes]\ncommand = 'notes'\n[mcp_servers.far]\nurl = 'https://mcp.example'\nhttp_headers = {X-Key = '1'}\n",
	"goose": "extensions:\n  files: # mine\n    cmd: npx\n    args: [-y,   server-filesystem]\n    type: stdio\n" +
		"  notes:\n    cmd: 'notes'\n  far:\n    uri: https://mcp.example\n    type: sse\n",
	"opencode": `{"mcp":{"files":{"type":"local","command":["npx",  "-y"]},"notes":{"command":["notes"]},"far":{"type":"remote"}}}`,
}

func wrap(t *testing.T, f File, patterns ...string) []string {
	t.Helper()
	c, names, err := f.Wrap(patterns, "/usr/bin/mcp-bash", []string{"--deny", "x*"})
	applied(t, c, err)
	return names
}

func unwrap(t *testing.T, f File, patterns ...string) Change {
	t.Helper()
	c, _, err := f.Unwrap(patterns)
	return applied(t, c, err)
}

func TestWrappedServersBecomeWhatTheyWereByteForByteInAnyOrder(t *testing.T) {
	for name, text := range withServers {
		for _, order := range [][]string{{"*"}, {"files", "notes"}, {"notes", "files"}} {
			t.Run(name+" "+strings.Join(order, " "), func(t *testing.T) {
				is := is.New(t)
				f := fileOf(t, name, text)
				is.Equal(wrap(t, f, "files"), []string{"files"})
				is.Equal(wrap(t, f, "*"), []string{"files", "notes"})
				e, err := f.Entry("files")
				is.NoErr(err)
				is.Equal(e.Command, "/usr/bin/mcp-bash")
				is.True(strings.HasPrefix(strings.Join(e.Args, " "), "wrap --name files --deny x* -- npx -y"))
				e, err = f.Entry("far")
				is.NoErr(err)
				is.Equal(e.Command, "") // not reached as wrap reaches servers
				for _, pattern := range order {
					unwrap(t, f, pattern)
				}
				is.Equal(get(t, f.Path), text)
				is.Equal(names(t, strings.TrimSuffix(f.Path, "/config")), []string{"config"}) // nothing is left
			})
		}
	}
}

func TestServersAreUnwrappedAlsoWhereSomethingElseHasChanged(t *testing.T) {
	for name, text := range withServers {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			f := fileOf(t, name, text)
			before, err := f.Entry("files")
			is.NoErr(err)
			wrap(t, f, "*")
			put(t, f.Path, strings.Replace(get(t, f.Path), "mcp.example", "other.example", 1)+"\n")
			unwrap(t, f, "notes")
			wrap(t, f, "notes")
			unwrap(t, f, "files")
			unwrap(t, f, "*")
			e, err := f.Entry("files")
			is.NoErr(err)
			is.True(e.same(before))
			is.Equal(strings.Contains(get(t, f.Path), "other.example"), strings.Contains(text, "mcp.example"))
			is.True(!strings.Contains(get(t, f.Path), "wrap"))
		})
	}
}

func TestThereMustBeAServerToWrap(t *testing.T) {
	is := is.New(t)
	f := fileOf(t, "cursor", withServers["cursor"])
	for pattern, want := range map[string]string{"other": `has no entry "other"`, "far": "cannot use the header X-Key", "[": "nor a pattern such as '*'"} {
		_, _, err := f.Wrap([]string{pattern}, "mcp-bash", nil)
		is.True(strings.Contains(err.Error(), want))
	}
	f.Path += "s"
	_, _, err := f.Wrap([]string{"*"}, "mcp-bash", nil)
	is.True(strings.Contains(err.Error(), " does not exist"))
}

// withRemotes are files of clients with servers at URLs.
var withRemotes = map[string]string{
	"cursor": `{"mcpServers": { // mine
  "far": {"url": "https://mcp.example/a", /* whose */ "headers": {"Authorization": "Bearer ${env:FAR}"}, "disabled": true},
  "near": { "type": "http", "url": "http://localhost:1" },
}}`,
	"claude-code": `{"mcpServers":{"far":{"type":"http","url":"https://mcp.example/a","headers":{"authorization":"Bearer t"}},` +
		`"near":{"type":"http","url":"http://localhost:1"}}}`,
	"windsurf": `{"mcpServers": {"far": {"serverUrl": "https://mcp.example/a"}, "near": {"serverUrl": "http://localhost:1"}}}`,
	"codex": "[mcp_servers.far] # mine\nurl = 'https://mcp.example/a'\nbearer_token_env_var = \"FAR\" # of work\n\n" +
		"[mcp_servers.near]\nurl = 'http://localhost:1'\n[mcp_servers.near.http_headers]\nAuthorization = 'Bearer t'\n",
	"goose": "extensions:\n  far: # mine\n    type: streamable_http\n    uri: https://mcp.example/a\n    headers:\n" +
		"      Authorization: Bearer t # old\n    timeout: 3\n  near: {\"type\": \"streamable_http\", \"uri\": \"http://localhost:1\"}\n",
	"opencode": `{"mcp":{"far":{"type":"remote","url":"https://mcp.example/a"},"near":{"url":"http://localhost:1"}}}`,
}

func TestServersAtURLsAreWrappedWithTheirTokenAndBecomeWhatTheyWere(t *testing.T) {
	for name, text := range withRemotes {
		for _, changed := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				is := is.New(t)
				f := fileOf(t, name, text)
				before, err := f.Entry("far")
				is.NoErr(err)
				is.Equal(wrap(t, f, "far"), []string{"far"})
				is.Equal(wrap(t, f, "*"), []string{"far", "near"})
				e, err := f.Entry("far")
				is.NoErr(err)
				is.Equal(e.Command, "/usr/bin/mcp-bash")
				is.True(strings.Contains(strings.Join(e.Args, " ")+" ", "--deny x* --url https://mcp.example/a "))
				is.Equal(e.Env[tokenVariable], before.remote.token)
				is.Equal(strings.Contains(strings.Join(e.Args, " "), "--token-env FAR"), before.remote.variable == "FAR")
				if changed {
					put(t, f.Path, strings.Replace(get(t, f.Path), "localhost", "127.0.0.1", 1))
				}
				unwrap(t, f, "far")
				e, err = f.Entry("far")
				is.NoErr(err)
				is.True(e.same(before))
				unwrap(t, f, "near")
				if !changed {
					is.Equal(get(t, f.Path), text)
				}
				is.True(!strings.Contains(get(t, f.Path), "wrap"))
			})
		}
	}
}

func TestWhatWrapCannotReachIsSaidAndLeft(t *testing.T) {
	is := is.New(t)
	f := fileOf(t, "cursor", withServers["cursor"])
	c, names, err := f.Wrap([]string{"*"}, "mcp-bash", nil)
	is.NoErr(err)
	is.Equal(names, []string{"files", "notes"})
	is.Equal(len(c.Left), 1)
	is.True(strings.HasSuffix(c.Left[0].Error(), `the entry "far" is left as it is: `+"`mcp-bash wrap --url` cannot use the header X-Key"))
}
