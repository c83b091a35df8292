package replay_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/replay"
)

func write(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestABlockOfARecordingEndsWhereTheClientWritesAgain(t *testing.T) {
	is := is.New(t)
	c, err := replay.Read(write(t, "x.ndjson", `{"way":"start","message":{"project":"/p"}}
{"way":"in","message":{"id":1}}
{"way":"in","message":"not JSON"}
{"way":"out","message":{"id":1,"result":{}}}

{"way":"in","message":{"id":2}}
{"way":"out","message":{"id":2,"result":{}}}
`))
	is.NoErr(err)
	is.Equal(c.Project, "/p")
	is.Equal(len(c.Blocks), 2)
	is.Equal(c.Blocks[0].Client, []string{`{"id":1}`, "not JSON"})
	is.Equal(c.Blocks[0].Server, []string{`{"id":1,"result":{}}`})
	is.Equal(c.Blocks[1].Client, []string{`{"id":2}`})
}

func TestOfAPairABlankLineEndsABlock(t *testing.T) {
	is := is.New(t)
	client := write(t, "x.client.ndjson", "a\nb\n\nc\n")
	is.NoErr(os.WriteFile(strings.Replace(client, "client", "server", 1), []byte("1\n\n2\n\n3\n"), 0o600))
	c, err := replay.Read(client)
	is.NoErr(err)
	is.Equal(len(c.Blocks), 3) // the last came after the end of the input
	is.Equal(c.Blocks[0], replay.Block{Client: []string{"a", "b"}, Server: []string{"1"}})
	is.Equal(c.Blocks[2], replay.Block{Server: []string{"3"}})
}

func TestAFileWithoutServerLinesIsAClientsAlone(t *testing.T) {
	is := is.New(t)
	c, err := replay.Read(write(t, "x.ndjson", "{\"id\":1}\n"))
	is.NoErr(err)
	is.True(c.Plain())
}

func FuzzRead(f *testing.F) {
	f.Add("x.ndjson", `{"way":"in","message":{"id":1}}`)
	f.Add("x.client.ndjson", "a\n\n\nb")
	f.Fuzz(func(t *testing.T, name, text string) {
		if name != "x.client.ndjson" {
			name = "x.ndjson"
		}
		c, err := replay.Read(write(t, name, text))
		if err != nil {
			return
		}
		for _, b := range c.Blocks {
			for _, line := range append(b.Client, b.Server...) {
				if name == "x.client.ndjson" && strings.Contains(line, "\n") {
					t.Errorf("a line has a line end: %q", line)
				}
			}
		}
	})
}
