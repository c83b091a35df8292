package clients

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/mcp-bash/mcp-bash/v2/internal/madetest"
)

// TestTheManualSaysWhatTheTableSays holds docs/CLIENTS.md against the clients there are.
func TestTheManualSaysWhatTheTableSays(t *testing.T) {
	b, err := os.ReadFile("../../../docs/CLIENTS.md")
	if err != nil {
		t.Fatal(err)
	}
	manual := strings.ReplaceAll(string(b), "\r\n", "\n")
	madetest.Part(t, "../../../docs/CLIENTS.md", "clients", manualTable())
	for _, c := range All() {
		text, err := c.Put("", "weather", weather("linux"))
		if err != nil {
			t.Fatal(err)
		}
		for _, parent := range []string{"context_servers", "servers"} { // told beside the others
			text = strings.Replace(text, `"`+parent+`"`, `"mcpServers"`, 1)
		}
		if !strings.Contains(manual, "\n"+text+"```\n") {
			t.Errorf("docs/CLIENTS.md should show what %s gets:\n%s", c.Title, text)
		}
	}
}

// manualTable reports which files each client has.
func manualTable() string {
	var b strings.Builder
	b.WriteString("| client | `--client` | Linux | macOS | Windows | `--scope project` |\n|---|---|---|---|---|---|\n")
	for _, c := range All() {
		fmt.Fprintf(&b, "| %s | `%s`", c.Title, c.Name)
		for _, m := range []Machine{
			{OS: "linux", Home: "~"},
			{OS: "darwin", Home: "~"},
			{OS: "windows", Home: "%USERPROFILE%", Env: map[string]string{
				"APPDATA": "%APPDATA%", "LOCALAPPDATA": "%LOCALAPPDATA%",
			}},
		} {
			b.WriteString(" | " + listed(c.Paths(m, User, "")))
		}
		b.WriteString(" | " + listed(c.project) + " |\n")
	}
	return b.String()
}

func listed(paths []string) string {
	if len(paths) == 0 {
		return "–"
	}
	return "`" + strings.Join(paths, "`, `") + "`"
}
