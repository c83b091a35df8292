package replay_test

import (
	"fmt"
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

// read reads a file with one conversation.
func read(t testing.TB, path string) *replay.Conversation {
	t.Helper()
	f, err := replay.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Conversations) != 1 {
		t.Fatalf("%d conversations", len(f.Conversations))
	}
	return f.Conversations[0]
}

func TestABlockOfARecordingEndsWhereTheClientWritesAgain(t *testing.T) {
	is := is.New(t)
	c := read(t, write(t, "x.ndjson", `{"way":"start","message":{"project":"/p"}}
{"way":"in","message":{"id":1}}
{"way":"in","message":"not JSON"}
{"way":"out","message":{"id":1,"result":{}}}

{"way":"in","message":{"id":2}}
{"way":"out","message":{"id":2,"result":{}}}
`))
	is.Equal(c.Project, "/p")
	is.Equal(len(c.Blocks), 2)
	is.Equal(c.Blocks[0].Client, []string{`{"id":1}`, "not JSON"})
	is.Equal(c.Blocks[0].Server, []string{`{"id":1,"result":{}}`})
	is.Equal(c.Blocks[1].Client, []string{`{"id":2}`})
}

func TestEachStartOfTheServerBeginsAConversation(t *testing.T) {
	const result = `,"result":{"protocolVersion":"2025-11-25","serverInfo":{}}}}`
	cases := []struct{ name, recording, want string }{
		{"one after the other", `{"way":"start","message":{"project":"/a"}}
{"way":"in","message":1}
{"way":"out","message":{"id":1` + result + `
{"way":"start","message":{"project":"/b"}}
{"way":"in","message":2}
{"way":"out","message":{"id":1` + result + `
{"way":"out","message":3}
`, "/a 1 in, 1 out; /b 1 in, 2 out; "},
		{"at the same time", `{"session":"a","way":"start","message":{"project":"/a"}}
{"session":"b","way":"start","message":{"project":"/b"}}
{"session":"b","way":"in","message":1}
{"session":"a","way":"in","message":2}
{"session":"a","way":"out","message":{"id":1` + result + `
{"session":"b","way":"in","message":3}
{"session":"b","way":"out","message":{"id":1` + result + `
`, "/a 1 in, 1 out; /b 2 in, 1 out; "},
		{"a newer one is appended to an older one", `{"way":"in","message":1}
{"session":"b","way":"start","message":{"project":"/b"}}
{"session":"b","way":"in","message":2}
{"way":"out","message":3}
`, " 1 in, 1 out; /b 1 in, 0 out; "},
		{"the start is missing", `{"session":"b","way":"in","message":2}
{"session":"a","way":"in","message":2}
{"session":"a","way":"in","message":2}
`, " 1 in, 0 out;  2 in, 0 out; "},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			is := is.New(t)
			file, err := replay.Read(write(t, "x.ndjson", c.recording))
			is.NoErr(err)
			got := ""
			for _, c := range file.Conversations {
				client, server := 0, 0
				for _, b := range c.Blocks {
					client, server = client+len(b.Client), server+len(b.Server)
				}
				got += fmt.Sprintf("%s %d in, %d out; ", c.Project, client, server)
			}
			is.Equal(got, c.want)
		})
	}
}

func TestOfAPairABlankLineEndsABlock(t *testing.T) {
	is := is.New(t)
	client := write(t, "x.client.ndjson", "a\nb\n\nc\n")
	is.NoErr(os.WriteFile(strings.Replace(client, "client", "server", 1), []byte("1\n\n2\n\n3\n"), 0o600))
	c := read(t, client)
	is.Equal(len(c.Blocks), 3) // the last came after the end of the input
	is.Equal(c.Blocks[0], replay.Block{Client: []string{"a", "b"}, Server: []string{"1"}})
	is.Equal(c.Blocks[2], replay.Block{Server: []string{"3"}})
}

func TestAPairHasTheVariablesInTheFileBesideIt(t *testing.T) {
	is := is.New(t)
	client := write(t, "x.client.ndjson", "a\n")
	variables := filepath.Join(filepath.Dir(client), "env")
	is.NoErr(os.WriteFile(variables, []byte("# how it is served\nA=b c=d\r\n\nE=\n"), 0o600))
	is.Equal(read(t, client).Environ, []string{"A=b c=d", "E="})
	is.NoErr(os.WriteFile(variables, []byte("A=b\nexport\n"), 0o600))
	_, err := replay.Read(client)
	is.Equal(err.Error(), variables+`:2: "export" is not NAME=VALUE: write one variable a line`)
	is.NoErr(os.Remove(variables))
	is.NoErr(os.Mkdir(variables, 0o700)) // such as one of Python
	is.Equal(read(t, client).Environ, nil)
}

func TestAFileWithoutServerLinesIsAClientsAlone(t *testing.T) {
	is := is.New(t)
	f, err := replay.Read(write(t, "x.ndjson", "{\"id\":1}\n"))
	is.NoErr(err)
	is.True(f.Plain())
}

func FuzzRead(f *testing.F) {
	f.Add("x.ndjson", `{"way":"in","message":{"id":1}}`)
	f.Add("x.client.ndjson", "a\n\n\nb")
	f.Fuzz(func(t *testing.T, name, text string) {
		if name != "x.client.ndjson" {
			name = "x.ndjson"
		}
		file, err := replay.Read(write(t, name, text))
		if err != nil {
			return
		}
		if len(file.Conversations) == 0 {
			t.Fatal("no conversation")
		}
		for _, b := range file.Conversations[0].Blocks {
			for _, line := range append(b.Client, b.Server...) {
				if name == "x.client.ndjson" && strings.Contains(line, "\n") {
					t.Errorf("a line has a line end: %q", line)
				}
			}
		}
	})
}
