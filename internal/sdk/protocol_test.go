package sdk

import (
	"bufio"
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/waittest"
)

// visible maps bytes to the signs for them in docs/SDK-PROTOCOL.md.
var visible = strings.NewReplacer("␀", "\x00", "␞", "\x1e", "␊", "\n")

// TestTheProtocolMatchesItsPage plays the conversations of docs/SDK-PROTOCOL.md.
func TestTheProtocolMatchesItsPage(t *testing.T) {
	inOneShell(t)
	page, err := os.ReadFile("../../docs/SDK-PROTOCOL.md")
	if err != nil {
		t.Fatal(err)
	}
	talks := strings.Split(string(page), "```wire\n")[1:]
	if len(talks) < 6 {
		t.Fatalf("found only %d conversations", len(talks))
	}
	for _, talk := range talks {
		talk, _, _ = strings.Cut(talk, "```")
		t.Run(strings.SplitN(talk, "\n", 2)[0], func(t *testing.T) {
			is := is.New(t)
			s := Server{patience: time.Minute}
			if strings.Contains(talk, "\nfifo ") { // the answer is promised
				s.patience = time.Millisecond
			}
			dir := t.TempDir()
			c, err := s.Open(t.Context(), Call{Dir: dir, Args: []byte(ada)})
			is.NoErr(err)
			defer c.Close()
			readRequests(c)
			if c.pipes == nil {
				t.Skip("Windows has no named pipes for the channel of the SDK")
			}
			request, replies := c.Files()[FirstFD-3], bufio.NewReader(c.Files()[FirstFD-1])
			asked := false // the file belongs to the tool before, to the server afterwards
			for line := range strings.Lines(strings.TrimSuffix(talk, "\n")) {
				what, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
				name, content, _ := strings.Cut(rest, " ")
				content = visible.Replace(content)
				path := filepath.Join(dir, name)
				switch {
				case what == ">":
					_, err := request.WriteString(visible.Replace(rest) + "\n")
					is.NoErr(err)
					asked = true
				case what == "<":
					line, err := replies.ReadString('\n')
					is.NoErr(err)
					is.Equal(line, strings.TrimSuffix(visible.Replace(rest), "\n")+"\n") // the reply
				case what == "file" && !asked:
					is.NoErr(os.WriteFile(path, []byte(content), 0o600))
				case what == "file":
					b, err := os.ReadFile(path)
					is.NoErr(err)
					is.Equal(string(b), content) // the file that the reply names
				case what == "fifo":
					waittest.Until(t, "the FIFO is made", func() bool { _, err := os.Stat(path); return err == nil })
					f, err := os.Open(path)
					is.NoErr(err)
					b := make([]byte, 512)
					n, err := f.Read(b)
					is.NoErr(err)
					is.Equal(string(b[:n]), content) // the answer
					is.NoErr(f.Close())
				default:
					t.Fatalf("what does %q mean?", line)
				}
			}
		})
	}
}

// TestThePageNamesTheOperations holds the tables of docs/SDK-PROTOCOL.md against the operations
// and the helpers.
func TestThePageNamesTheOperations(t *testing.T) {
	page, err := os.ReadFile("../../docs/SDK-PROTOCOL.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := func(heading string) (names []string) {
		_, table, _ := strings.Cut(string(page), "| operation | "+heading+" |\n")
		table, _, _ = strings.Cut(table, "\n\n")
		for line := range strings.Lines(table) {
			for _, m := range regexp.MustCompile("`([a-z_]+)[^`]*`").FindAllStringSubmatch(strings.SplitN(line, "|", 3)[1], -1) {
				names = append(names, m[1])
			}
		}
		return names
	}
	informed, parts := rows("and"), rows("does")
	if len(informed) < 10 || len(parts) < 5 {
		t.Fatalf("found only %q and %q", informed, parts)
	}
	for _, name := range append(informed, parts...) {
		if _, ok := operations[strings.TrimSuffix(name, "_")]; !ok {
			t.Errorf("the page names the operation %s, which is not there", name)
		}
	}
	helpers := strings.Join(slices.Collect(maps.Values(scripts(t))), "\n")
	for name := range operations {
		if strings.Contains(helpers, "\nmcp_"+name+"() ") == slices.Contains(parts, name) {
			t.Errorf("the operation %s must either have a helper or a row in the table of the page", name)
		}
	}
}

func FuzzRequests(f *testing.F) {
	f.Add("\x00a\x001.1\x00args_get\x00.name\x00\n")
	f.Add("\x00a\x001.1\x00@\x00\n\x00a\x001.1\x00!\x00\n")
	f.Add("\x00a#\x001.2\x00json_arr\x00a\x00\n\x00a#\x001.3\x00args_get\x00.name\x00\n\x00a#\x001.2\x00!\x00\n")
	f.Add("\x00?\x00\n\x00-\x00sdk.1.out\x00\n\x00-\x00../x\x00\n")
	f.Add("\x00^\x001.5\x00args_get\x00.name\x00\n\x00^\x001.5\x00!\x00\n\x00a\x001.5\x00=\x00time\x00\n")
	f.Add("\x00a\x00../../x\x00@\x00\n")
	f.Add("\x00a\x001\x00json_truncate\x00{\"a\":[1]}\x003\x00--array-path\x00.a\x00\n")
	f.Add("\x00a\x001\x00elicit 30\x00Q\x00{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"array\"}}}\x00\n")
	f.Add(strings.Repeat("x", 5000) + "\n\n\x00\n")
	f.Fuzz(func(t *testing.T, text string) {
		var s Server
		dir := t.TempDir()
		c, err := s.Open(t.Context(), Call{Dir: dir, Args: []byte(ada)})
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(text) {
			if c.pipes != nil && strings.HasSuffix(line, "\n") {
				if quick := c.take(line); quick != nil {
					quick.run()
				}
			}
		}
		c.Close()
		left, err := os.ReadDir(dir)
		if err != nil || len(left) > 0 {
			t.Errorf("%q left %v, %v", text, left, err)
		}
	})
}

func FuzzOperations(f *testing.F) {
	for _, op := range []string{"json_obj", "emit_json", "result", "result_success 9", "result_error", "json_truncate", "extract_cli_error", "config_merge",
		"progress", "log", "args_int", "require_path /", "elicit 1", "ui_form", "ui_table", "progress_line", "download_safe /"} {
		f.Add(op, `{"results":[1,"x",{"error":"y"}],"rows":[[1]],"fields":[{"name":"a"}],"progress":1}`, "5", "json")
	}
	f.Fuzz(func(t *testing.T, op, a, b, c string) {
		if strings.HasPrefix(op, "pause") {
			return
		}
		channel := channelOf(Call{Args: []byte(`{"a":1e2}`), Dir: t.TempDir()})
		got := channel.do(t.Context(), op, []string{a, b, c})
		if got.kind == output && strings.HasPrefix(op, "result") && !isOneValue(got.value) {
			t.Errorf("%s of %q, %q, %q is no JSON: %q", op, a, b, c, got.value)
		}
		if line := asLine.encode("1", channel.pack(got, asLine)); bytes.Count(line, []byte("\n")) != 1 || len(line) > 512 {
			t.Errorf("%s of %q, %q, %q is no reply: %q", op, a, b, c, line)
		}
	})
}
