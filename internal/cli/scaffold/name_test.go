package scaffold_test

import (
	"path/filepath"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/scaffold"
)

func FuzzANameThatIsGoodIsOneFolderBelow(f *testing.F) {
	for _, seed := range []string{"count", "a.b", "..", "a/b", `a\b`, "C:", "con", "nul.txt", "dot.", "é", "a\x00b", ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if scaffold.CheckName(name) != nil {
			return
		}
		is := is.New(t)
		is.True(filepath.IsLocal(name))               // on this system
		is.Equal(filepath.Base(name), name)           // one folder, not several
		is.Equal(filepath.Join("a", name, ".."), "a") // below
		is.True(name[0] != '.')                       // that can be seen
	})
}

func TestACompletionIsForAnyNameThatCanStandInQuotes(t *testing.T) {
	for argument, good := range map[string]bool{
		"topic": true, "_x": true, "first name": true, "größe": true, "$(ls)": true, "*": true,
		"": false, "it's": false, `"`: false, `a\b`: false, "a\nb": false, "<b>": false,
	} {
		t.Run(argument, func(t *testing.T) {
			is := is.New(t)
			_, err := scaffold.Completion(t.TempDir(), "values", "a prompt", argument)
			is.Equal(err == nil, good)
		})
	}
}
