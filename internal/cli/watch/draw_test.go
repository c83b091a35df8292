package watch

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/matryer/is"
	"github.com/rivo/uniseg"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/screen"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/status"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.Local)

func busy() status.Snapshot {
	return status.Snapshot{
		Version: "2.0", PID: 7, Project: "/srv/notes", Client: "robot\x1b[31m 1.0", Since: noon.Add(-90 * time.Minute), Time: noon,
		Calls: 12, Failed: 2, Refused: 1, PerMinute: 3, Running: 3,
		InFlight: []status.Call{{ID: "4", Method: "tools/call", Name: "resize", Began: noon.Add(-12300 * time.Millisecond)}},
		Slowest:  []status.Tool{{Name: "resize", Calls: 9, Failed: 2, MeanMS: 1500, MaxMS: 61_000}},
		Rules:    []status.Rule{{Outcome: "refused", Why: "refused by no-secrets", Calls: 1}},
		Errors:   []status.Call{{Method: "tools/call", Name: "older", Outcome: "failed", Reason: "x", Began: noon.Add(-time.Minute)}, {Method: "tools/call", Name: "resize", Outcome: "failed", Reason: "no such\nfile", Began: noon}},
		Log:      []status.Line{{Time: noon, Level: "warn", Text: "slow"}},
	}
}

func TestAServerIsDescribedInPlainText(t *testing.T) {
	is := is.New(t)
	view := View{Servers: []status.Snapshot{busy()}, Silent: []string{"/tmp/mcpbash.state.1"}}
	is.Equal(Text(view), `notes  /srv/notes
  pid 7 · robot[31m 1.0 · since 10:30:00 (1h 30m) · mcp-bash 2.0
  12 calls · 3 in the last minute · 2 failed · 1 refused · 0 cancelled
  3 in flight
       12.3s  tools/call resize  id 4
    and 2 more
  slowest tools: calls, failed, mean, longest
         9    2      1.5s     1m 1s  resize
  failed, refused and changed, by why
         1  refused: refused by no-secrets
  last errors, the newest first
    12:00:00  tools/call resize failed: no such file
    11:59:00  tools/call older failed: x
  log, the newest first
    12:00:00  warn  slow
/tmp/mcpbash.state.1: the server does not answer
`)
}

func TestAWrappedServerIsKnownByItsName(t *testing.T) {
	is := is.New(t)
	s := status.Snapshot{PID: 7, Wraps: "npx some-server"}
	is.True(strings.HasPrefix(Text(View{Servers: []status.Snapshot{s}}), "in front of npx some-server\n"))
	is.True(Named("npx some-server")(s))
	is.True(!Named("other")(s))
}

func TestAFrameFitsTheTerminal(t *testing.T) {
	is := is.New(t)
	var out bytes.Buffer
	l := Look{Colour: true, Title: "mcp-bash watch"}
	wide := busy()
	wide.Client = strings.Repeat("漢", 40)
	is.NoErr(screen.Draw(&out, 20, 6, l.frame(View{Servers: []status.Snapshot{wide}}, noon, 20)))
	frame := out.String()
	const home, clearBelow = "\x1b[?2026h\x1b[H", "\x1b[J\x1b[?2026l"
	is.True(strings.HasPrefix(frame, home))
	is.True(strings.HasSuffix(frame, clearBelow))
	lines := strings.Split(strings.TrimSuffix(strings.TrimPrefix(frame, home), clearBelow), "\r\n")
	is.Equal(len(lines), 6)
	for _, line := range lines {
		text := strings.TrimSuffix(line, "\x1b[K")
		for _, mark := range []string{bold, dim, alarm} {
			text = strings.TrimPrefix(text, "\x1b["+mark+"m")
		}
		is.True(uniseg.StringWidth(strings.TrimSuffix(text, "\x1b[0m")) <= 20)
	}
	is.True(regexp.MustCompile(`and \d+ more`).MatchString(lines[5]))
}

func TestServersComeAndGoWhileTheyAreWatched(t *testing.T) {
	is := is.New(t)
	parent := t.TempDir()
	dir, err := os.MkdirTemp(parent, "mcpbash.state.")
	is.NoErr(err)
	if len(filepath.Join(dir, status.Socket)) > 100 {
		t.Skip("the folder for temporary files has too long a path for a socket")
	}
	board := status.NewBoard("2.0", 7)
	board.Serves(filepath.Join(parent, "notes"))
	server, err := status.Listen(dir, board)
	is.NoErr(err)
	t.Cleanup(func() { server.Close() })
	ctx, cancel := context.WithCancel(t.Context())
	frames, out, err := os.Pipe() // a terminal of unknown size
	is.NoErr(err)
	defer frames.Close()
	seen := make(chan string)
	go func() {
		all, b := "", make([]byte, 1<<16)
		for {
			n, err := frames.Read(b)
			if err != nil {
				seen <- all
				return
			}
			frame := string(b[:n])
			switch all += frame; {
			case strings.Contains(frame, "notes  "):
				server.Close()
			case strings.Contains(frame, "none runs") && strings.Contains(all, "notes  "):
				cancel()
			}
		}
	}()
	find := func() []string { return Find([]string{parent}) }
	mine := func(s status.Snapshot) bool { return strings.HasPrefix(s.Project, parent) }
	is.NoErr(Live(ctx, frames, out, Look{Empty: "none runs"}, find, mine))
	out.Close()
	all := <-seen
	is.True(strings.HasPrefix(all, "\x1b[?1049h"))
	is.True(strings.HasSuffix(all, "\x1b[?1049l"))
}

func TestOnlyFoldersOfServersWithASocketAreFound(t *testing.T) {
	is := is.New(t)
	parent := t.TempDir()
	for _, name := range []string{"mcpbash.state.1", "other"} {
		is.NoErr(os.Mkdir(filepath.Join(parent, name), 0o700))
	}
	is.NoErr(os.WriteFile(filepath.Join(parent, "mcpbash.state.1", status.Socket), nil, 0o600)) // not a socket
	for _, folder := range Find([]string{parent, parent}) {
		is.True(!strings.HasPrefix(folder, parent))
	}
}
