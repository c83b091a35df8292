package clients

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/madetest"
)

var systems = []string{"linux", "darwin", "windows"}

func TestEveryClientGetsItsFileOnEverySystem(t *testing.T) {
	for _, c := range All() {
		t.Run(c.Name, func(t *testing.T) {
			var b strings.Builder
			for _, system := range systems {
				m := ada(system)
				folder := map[string]string{"linux": "/home/ada/app", "darwin": "/Users/ada/app", "windows": `C:\Users\ada\app`}[system]
				text, err := c.Put("", "weather", weather(system))
				is.New(t).NoErr(err)
				paths := append(c.Paths(m, User, folder), c.Paths(m, Project, folder)...)
				b.WriteString("-- " + system + ": " + strings.Join(paths, ", ") + " --\n" + text)
			}
			madetest.File(t, "testdata/"+c.Name+".golden", b.String())
		})
	}
}

func TestVariablesMoveFiles(t *testing.T) {
	for _, test := range []struct{ client, system, variable, value, path string }{
		{"claude-code", "linux", "CLAUDE_CONFIG_DIR", "/etc/claude", "/etc/claude/.claude.json"},
		{"codex", "darwin", "CODEX_HOME", "/x/codex/", "/x/codex/config.toml"},
		{"goose", "linux", "XDG_CONFIG_HOME", "/x", "/x/goose/config.yaml"},
		{"zed", "linux", "XDG_CONFIG_HOME", "/x", "/x/zed/settings.json"},
		{"zed", "darwin", "XDG_CONFIG_HOME", "/x", "/Users/ada/.config/zed/settings.json"},
		{"vscode", "linux", "XDG_CONFIG_HOME", "/x", "/x/Code/User/mcp.json"},
		{"vscode", "darwin", "XDG_CONFIG_HOME", "/x", "/Users/ada/Library/Application Support/Code/User/mcp.json"},
		{"claude-desktop", "windows", "APPDATA", `D:\Roaming`, `D:\Roaming\Claude\claude_desktop_config.json`},
		{"claude-desktop", "windows", "APPDATA", "", `C:\Users\ada\AppData\Roaming\Claude\claude_desktop_config.json`},
	} {
		m := ada(test.system)
		m.Env[test.variable] = test.value
		is.New(t).Equal(client(t, test.client).Paths(m, User, "")[0], test.path) // where the client looks
	}
}

func TestWithoutAHomeFolderOnlyFilesElsewhereAreKnown(t *testing.T) {
	for _, system := range systems {
		for _, c := range All() {
			is := is.New(t)
			m := Machine{OS: system, Env: map[string]string{}}
			is.Equal(len(c.Paths(m, User, "")), 0) // not in the root of the system
			is.True(!c.Present(m))
			is.Equal(len(c.Paths(m, Project, "/x")), len(c.project))
			_, err := c.File(m, User, "")
			is.Equal(strings.HasPrefix(err.Error(), "your home folder is not known"), c.user != nil)
		}
	}
	is := is.New(t)
	is.Equal(client(t, "codex").Paths(Machine{OS: "linux", Env: map[string]string{"CODEX_HOME": "/x"}}, User, ""), []string{"/x/config.toml"})
}

func TestAnUnknownClientIsToldWhichAreKnown(t *testing.T) {
	is := is.New(t)
	_, err := Find("emacs")
	is.True(err != nil)
	for _, c := range All() {
		is.True(strings.Contains(err.Error(), c.Name)) // all are named
	}
	for name, want := range map[string]string{"curser": "did you mean cursor?", "claude": "did you mean claude-desktop or claude-code?", "vscoed": "did you mean vscode?"} {
		_, err := Find(name)
		is.True(err != nil)
		is.True(strings.HasSuffix(err.Error(), want))
	}
	for name, want := range map[string]string{"Cursor": "cursor", "VS Code": "vscode", "CLAUDE-CLI": "claude-code"} {
		c, err := Find(name)
		is.NoErr(err)
		is.Equal(c.Name, want)
	}
	old, err := Find("claude-cli")
	is.NoErr(err)
	is.Equal(old.Name, "claude-code") // the older name still works
}

func TestWhatIsPutIsWhatIsGot(t *testing.T) {
	odd := Entry{
		Command: `C:\a b\"q"\é\mcp-bash.exe`,
		Args:    []string{"serve", "", "--x=\ty", "<&>", "#no: {comment}", "\u2028", "\x7f"},
		Env:     map[string]string{"A": "1", "B": "true", "C": "", "D": "- x", "E": "'"},
	}
	for _, c := range All() {
		for _, name := range []string{"weather", "123", "true", "null", "-", "1e3"} {
			is := is.New(t)
			text, err := c.Put("", name, odd)
			is.NoErr(err)
			got, found, err := c.Get(text, name)
			is.NoErr(err)
			is.True(found)                                                           // the entry is there
			is.Equal(cmp.Diff(odd, got, cmp.AllowUnexported(Entry{}, remote{})), "") // and says the same
			text, err = c.Remove(text, name, true)
			is.NoErr(err)
			_, found, err = c.Get(text, name)
			is.NoErr(err)
			is.True(!found) // it can be taken out
		}
	}
}

func TestNamesAreMadeFitForClients(t *testing.T) {
	is := is.New(t)
	is.Equal(NameOf("my scripts (v2)"), "my-scripts-v2")
	is.Equal(NameOf("weather_1-a"), "weather_1-a")
	is.Equal(NameOf("天気"), "mcp-bash") // nothing is left
	is.NoErr(CheckName("weather_1-a"))
	is.Equal(CheckName("my scripts").Error(), `name "my scripts": use letters, digits, - and _ only, as in "my-scripts"`)
	is.True(CheckName("") != nil) // no name is none
}
