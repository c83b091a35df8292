package clients

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/matryer/is"
)

// filesBefore are files as people and clients leave them, by client.
var filesBefore = map[string][]string{
	"cursor": {
		"", "\n", " \r\n", "{}", "{}\n", "{ }", "{\n}\n", "{\r\n}\r\n", "\ufeff{}\n", "\ufeff",
		"{ // nothing yet\n}\n", "// mine\n{}\n// end", "{/* a */}",
		`{"mcpServers":{}}`, `{"mcpServers": {}}` + "\n", "{\n  \"mcpServers\": {}\n}\n", "{\n\t\"mcpServers\": {\n\t}\n}",
		`{"a":1}`, `{"a": 1, "b": [1, 2]}`, "{\n  \"a\": 1\n}\n", "{\n    \"a\": 1, // one\n    \"b\": 2, // two\n}\n",
		"{\n  \"a\": 1 /* one */ // still\n}\n",
		`{"mcpServers":{"git":{"command":"git-mcp"}}}`,
		`{"mcpServers": {"git": {"command": "git-mcp"}},}`,
		"{\n  \"mcpServers\": {\n    \"git\": {\"command\": \"git-mcp\"}\n  }\n}\n",
		"{\n  \"mcpServers\": {\"git\": {\"command\": \"git-mcp\"}},\n  \"other\": null\n}\n",
		"{\r\n\t\"mcpServers\": {\r\n\t\t// with care\r\n\t\t\"git\": {\r\n\t\t\t\"command\": \"git-mcp\",\r\n\t\t}, // last\r\n\t\t/* end */\r\n\t},\r\n\t\"theme\": \"dark\"\r\n}",
		"{\n    \"mcpServers\": {\n        \"git\": {\n            \"command\": \"git-mcp\"\n        }\n        // none more\n    }\n}\n",
		"{\"numbers\": [1.50, 1e400, 12345678901234567890], \"text\": \"\\u00e9\\/é\"}",
		"\ufeff{\r\n  \"mcpServers\": {\r\n    \"a\": {}\r\n  }\r\n}\r\n",
		"{\n\"mcpServers\":\n{\n\"a\":\n{}\n}\n}\n",
		"[1]"[:0] + "{\n  \"x\": {\"mcpServers\": {\"weather\": 1}}\n}\n",
	},
	"codex": {
		"", "\n", "\ufeff", "# only a comment\n", "# no end of line", "model = \"o3\"\n", "model = \"o3\"\r\n\r\n[tui]\r\nx = 1\r\n",
		"[mcp_servers.git] # mine\ncommand = \"git-mcp\"\nenv = { A = \"1\" }\n",
		"[mcp_servers]\n", "[mcp_servers]\ngit = { command = \"git-mcp\" }\n\n# end\n",
		"[mcp_servers.git]\ncommand = '''\n[mcp_servers.weather]\n'''\n[mcp_servers.git.env]\nA=\"1\"\n\n\n",
		"[[list]]\na = [\n  1, # one\n]\n[[list]]\nb = 2",
		"mcp_servers.git.command = \"git-mcp\"\n",
		"when = 2026-01-02T03:04:05Z\nday = 2026-01-02\nbig = 9_007_199_254_740_993\n",
	},
	"goose": {
		"", "\n", "\ufeff", "# only a comment\n", "---\n", "# no end of line", "GOOSE_MODEL: x\n", "GOOSE_MODEL: x", "GOOSE_MODEL: x\r\nother:\r\n  - 1\r\n",
		"extensions:\n", "extensions:", "extensions: # mine\n\nx: 1\n", "extensions: {}\n", "extensions: {} # none\nx: 1\n", "a: 1\nextensions: { }\n",
		"extensions:\n  developer:\n    enabled: true\n    type: builtin\n",
		"extensions:\n    # with care\n    developer:\n        args:\n        - a\n        - b\n        text: |\n            two\n\n            lines\n    # end\nGOOSE_MODEL: x # last\n",
		"extensions:\r\n  developer:\r\n    enabled: true\r\n\r\nx: 1\r\n",
		"extensions: {developer: {enabled: true}}\n", "{\"extensions\": {\"developer\": {\"enabled\": true}}, \"é\": 1}\n", "{}\n",
		"? extensions\n: developer: {enabled: true}\n"[:0] + "é: ü\nextensions:\n  é:\n    cmd: x\n",
		"x: &anchor\n  a: 1\nextensions:\n  developer:\n    <<: *anchor\n",
	},
}

// with returns the texts of a client's format under the client's own key.
func with(c Client) (texts []string) {
	model := map[format]string{jsonFormat{}: "cursor", tomlFormat{}: "codex", yamlFormat{}: "goose"}[c.format]
	old, _ := Find(model)
	for _, text := range filesBefore[model] {
		texts = append(texts, strings.ReplaceAll(text, old.parent, c.parent))
	}
	return texts
}

func TestInstallAndUninstallLeavesEveryFileAsItWas(t *testing.T) {
	for _, c := range All() {
		for i, text := range with(c) {
			t.Run(fmt.Sprint(c.Name, "/", i), func(t *testing.T) {
				is := is.New(t)
				f := fileOf(t, c.Name, text)
				e := weather("linux")
				change := install(t, f, "weather", e, false)
				is.Equal(get(t, f.Path), change.After) // the file is what the plan said
				is.Equal(get(t, change.Backup), text)  // there is a copy of what was
				got, err := f.Entry("weather")
				is.NoErr(err)
				is.Equal(got.Env[rootVariable], e.Env[rootVariable]) // the entry is in it
				is.True(install(t, f, "weather", e, false).Empty())  // doing it twice does nothing
				is.True(uninstall(t, f, "weather").Restored)
				is.Equal(get(t, f.Path), text)                               // byte for byte
				is.Equal(names(t, filepath.Dir(f.Path)), []string{"config"}) // and nothing else is left
			})
		}
	}
}

func TestAnEntryIsTakenOutOfAFileThatHasChangedSince(t *testing.T) {
	for _, c := range All() {
		for i, text := range with(c) {
			t.Run(fmt.Sprint(c.Name, "/", i), func(t *testing.T) {
				is := is.New(t)
				f := fileOf(t, c.Name, text)
				install(t, f, "weather", weather("linux"), false)
				install(t, f, "news", For("/bin/mcp-bash", "/news"), false)
				without, err := c.Put(text, "news", For("/bin/mcp-bash", "/news"))
				is.NoErr(err)
				is.True(!uninstall(t, f, "weather").Restored)
				got, want := decoded(t, c, get(t, f.Path)), decoded(t, c, without)
				is.Equal(got, want) // what is left says what it would without us
				_, err = f.Entry("news")
				is.NoErr(err) // the other is there
				for _, comment := range comments.FindAllString(text, -1) {
					is.True(strings.Contains(get(t, f.Path), strings.TrimSpace(comment))) // comments stay
				}
			})
		}
	}
}

var comments = regexp.MustCompile(`// .*|/\*[^*]*\*/|# .*`)

func decoded(t *testing.T, c Client, text string) string {
	t.Helper()
	all, err := c.decode(text)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(all)
}

func TestTheLastInstalledMayBeTheFirstToGo(t *testing.T) {
	for _, c := range All() {
		for i, text := range with(c) {
			t.Run(fmt.Sprint(c.Name, "/", i), func(t *testing.T) {
				is := is.New(t)
				f := fileOf(t, c.Name, text)
				for _, name := range []string{"one", "two", "three"} {
					install(t, f, name, For("/bin/mcp-bash", "/"+name), false)
				}
				for _, name := range []string{"three", "two", "one"} {
					uninstall(t, f, name)
				}
				is.Equal(get(t, f.Path), text) // byte for byte
			})
		}
	}
}

func TestAFileThatWasNotThereGoesWithItsFolders(t *testing.T) {
	is := is.New(t)
	home := t.TempDir()
	for _, c := range All() {
		f := File{Client: c, Path: filepath.Join(home, "x", "y", "config")}
		created := install(t, f, "weather", weather("linux"), false)
		is.True(created.Created)
		is.True(strings.HasPrefix(created.Diff(), "--- "+os.DevNull))
		is.True(uninstall(t, f, "weather").Deleted)
		is.Equal(names(t, home), nil) // no file, no folder
	}
}

func TestFoldersStayThatWereThereOrThatOthersUse(t *testing.T) {
	is := is.New(t)
	home := t.TempDir()
	is.NoErr(os.Mkdir(filepath.Join(home, "mine"), 0o755))
	f := File{Client: client(t, "cursor"), Path: filepath.Join(home, "mine", "a", "b", "mcp.json")}
	install(t, f, "weather", weather("linux"), false)
	put(t, filepath.Join(home, "mine", "a", "other"), "")
	uninstall(t, f, "weather")
	is.Equal(names(t, filepath.Join(home, "mine", "a")), []string{"other"}) // b is gone, a is in use

	f.Path = filepath.Join(home, "mine", "mcp.json")
	is.NoErr(os.RemoveAll(filepath.Join(home, "mine", "a")))
	install(t, f, "weather", weather("linux"), false)
	uninstall(t, f, "weather")
	is.Equal(names(t, home), []string{"mine"}) // an empty folder that was there before
}

func TestAnUpdateIsTakenBackToBeforeTheFirstInstallation(t *testing.T) {
	is := is.New(t)
	f := fileOf(t, "cursor", "{ \"a\" : 1 }")
	install(t, f, "weather", For("/old/mcp-bash", "/weather"), false)
	install(t, f, "weather", For("/new/mcp-bash", "/weather"), false)
	e, err := f.Entry("weather")
	is.NoErr(err)
	is.Equal(e.Command, "/new/mcp-bash") // updated in place
	uninstall(t, f, "weather")
	is.Equal(get(t, f.Path), "{ \"a\" : 1 }")
}

func TestAnEntryOfSomethingElseIsOnlyReplacedByForceAndComesBack(t *testing.T) {
	is := is.New(t)
	for _, test := range []struct{ text, why string }{
		{`{"mcpServers": {"weather": {"command": "npx", "args": ["weather"]}}}`, "that does not start mcp-bash"},
		{`{"mcpServers": {"weather": {"url": "https://example.com"}}}`, "that does not start mcp-bash"},
		{`{"mcpServers": {"weather": {"command": "/bin/mcp-bash", "env": {"MCPBASH_PROJECT_ROOT": "/other"}}}}`, "for another project, /other"},
	} {
		f := fileOf(t, "cursor", test.text)
		_, err := f.Install("weather", weather("linux"), false)
		is.True(err != nil && strings.Contains(err.Error(), test.why)) // refused, and why
		is.Equal(get(t, f.Path), test.text)
		install(t, f, "weather", weather("linux"), true)
		uninstall(t, f, "weather")
		is.Equal(get(t, f.Path), test.text) // the other one is back
	}
	f := fileOf(t, "cursor", `{"mcpServers": {"weather": {"command": "npx"}}}`)
	_, err := f.Uninstall("weather", "", false)
	is.True(err != nil) // not ours to take out
	f = fileOf(t, "cursor", "")
	install(t, f, "weather", For("/bin/mcp-bash", "/other"), false)
	_, err = f.Uninstall("weather", "/weather", false)
	is.Equal(err.Error(), f.Path+` has an entry "weather" for another project, /other: remove it with --force`)
}

func TestAFileThatCannotBeReadIsNotWritten(t *testing.T) {
	for _, test := range []struct{ client, text, want string }{
		{"cursor", "{\n  \"a\": 1\n  \"b\": 2\n}", ":3:3: "},
		{"cursor", "{\"mcpServers\": ", ":1:16: "},
		{"cursor", "[]", ":1:1: the file must hold a JSON object"},
		{"cursor", "{\"mcpServers\": null}", `"mcpServers" must hold entries by name`},
		{"cursor", "{\"mcpServers\": []}", `"mcpServers" must hold entries by name`},
		{"cursor", "{\"mcpServers\": {}, \"mcpServers\": {}}", `"mcpServers" is a duplicate`},
		{"cursor", `{"mcpServers": {"weather": {"command": "mcp-bash"}, "weather": {"command": "mcp-bash"}}}`, `"weather" is a duplicate`},
		{"codex", "a = 1\nb = \n", ":2:"},
		{"codex", "mcp_servers = 1\n", `"mcp_servers" must hold entries by name`},
		{"codex", "mcp_servers = { git = { command = \"x\" } }\n", "by hand"},
		{"goose", "a: 1\nb: [1\n", ":2: "},
		{"goose", "extensions: null\n", `"extensions" must hold entries by name`},
		{"goose", "extensions: [1]\n", `"extensions" must hold entries by name`},
		{"goose", "- a\n", ":1:1: the file must hold a mapping"},
		{"goose", "a: 1\n---\nb: 1\n", "more than one document"},
		{"goose", "a: &a {b: {c: 1}}\nextensions: *a\n", "alias"},
	} {
		t.Run(test.client+test.text, func(t *testing.T) {
			is := is.New(t)
			f := fileOf(t, test.client, test.text)
			_, err := f.Install("weather", weather("linux"), false)
			is.True(err != nil)
			if !strings.Contains(err.Error(), test.want) {
				t.Error(err) // where and what
			}
			is.True(strings.HasPrefix(err.Error(), f.Path))              // which file
			is.Equal(get(t, f.Path), test.text)                          // untouched
			is.Equal(names(t, filepath.Dir(f.Path)), []string{"config"}) // no backup either
		})
	}
}

func TestALinkStaysALinkAndPermissionsStay(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("symbolic links need a privilege on Windows")
	}
	is := is.New(t)
	dir := t.TempDir()
	is.NoErr(os.Mkdir(filepath.Join(dir, "dotfiles"), 0o755))
	real := filepath.Join(dir, "dotfiles", "mcp.json")
	put(t, real, "{}")
	is.NoErr(os.Chmod(real, 0o640))
	f := File{Client: client(t, "cursor"), Path: filepath.Join(dir, "mcp.json")}
	is.NoErr(os.Symlink("dotfiles/mcp.json", f.Path))
	install(t, f, "weather", weather("linux"), false)
	to, err := os.Readlink(f.Path)
	is.NoErr(err)
	is.Equal(to, "dotfiles/mcp.json") // still a link
	info, err := os.Stat(real)
	is.NoErr(err)
	is.Equal(info.Mode().Perm(), os.FileMode(0o640)) // as it was
	is.True(strings.Contains(get(t, real), "weather"))
	uninstall(t, f, "weather")
	is.Equal(get(t, real), "{}")
	is.Equal(names(t, filepath.Dir(real)), []string{"mcp.json"}) // nothing else in the dotfiles
}

func TestAFileThatSomebodyChangesMeanwhileIsNotWritten(t *testing.T) {
	is := is.New(t)
	f := fileOf(t, "cursor", "{}")
	c, err := f.Install("weather", weather("linux"), false)
	is.NoErr(err)
	put(t, f.Path, `{"a": 1}`)
	is.True(c.Apply() != nil)
	is.Equal(get(t, f.Path), `{"a": 1}`) // theirs
}

func TestUninstallingWhatIsNotThereDoesNothing(t *testing.T) {
	is := is.New(t)
	f := fileOf(t, "cursor", "{ }")
	is.True(uninstall(t, f, "weather").Empty())
	f.Path += ".none"
	is.True(uninstall(t, f, "weather").Empty())
}
