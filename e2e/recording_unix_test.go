//go:build unix

package e2e

import (
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/madetest"
	"github.com/mcp-bash/mcp-bash/v2/internal/ptytest"
)

// recording is the terminal recording in README.md. -update recreates it.
const recording = "../docs/demo.svg"

// recorded are its commands.
var recorded = []string{
	"cat ../count.sh",
	"mcp-bash adopt --yes ../count.sh",
	"mcp-bash call count word=ERROR file=app.log",
	"mcp-bash install --client cursor | tail -n 3",
}

func TestTheRecordingInTheREADMEIsWhatTheProgramPrints(t *testing.T) {
	is := is.New(t)
	home, err := filepath.EvalSymlinks(t.TempDir())
	is.NoErr(err)
	work := filepath.Join(home, "desk")
	for name, text := range map[string]string{
		"count.sh":                       "#!/bin/sh\n# Counts the lines of a file that have a word in them.\nword=$1\nfile=$2\ngrep -c -e \"$word\" \"$file\"\n",
		"desk/app.log":                   "INFO started\nERROR disk full\nINFO retry\nERROR disk full\n",
		"desk/server.d/server.meta.json": "{\"name\": \"desk\"}\n",
	} {
		path := filepath.Join(home, name)
		is.NoErr(os.MkdirAll(filepath.Dir(path), 0o755))
		is.NoErr(os.WriteFile(path, []byte(text), 0o755))
	}
	env := append(watched(t), "HOME="+home, "XDG_CONFIG_HOME="+home+"/.config", "PATH="+filepath.Dir(binary)+":"+os.Getenv("PATH"))
	var shown []frame
	for _, command := range recorded {
		x := ptytest.Start(t, ptytest.Options{Columns: 240, Lines: 60, Dir: work, Env: env}, "sh", "-c", command)
		is.Equal(x.Wait(), 0)
		text := strings.TrimRight(x.Screen().String(), "\n ")
		shown = append(shown, frame{command, strings.Split(strings.ReplaceAll(text, home, "~"), "\n")})
	}
	want := drawn(shown)
	is.NoErr(xml.Unmarshal([]byte(want), new(struct{}))) // it is valid XML
	madetest.File(t, recording, want)
}

// A frame is a command and its visible output.
type frame struct {
	command string
	lines   []string
}

// The picture is a terminal, whose lines appear one after the other if animation is enabled. It has
// its own background, in two shades, so that it is readable on light and dark pages.
const picture = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 SIZE" role="img" aria-label="A script becomes a tool of an AI client, in a terminal">
<style>
  rect { fill: #f6f8fa; stroke: #d0d7de; }
  text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #1f2328; white-space: pre; }
  .command { font-weight: bold; } .dim { fill: #59636e; } .ok { fill: #1a7f37; }
  @media (prefers-color-scheme: dark) {
    rect { fill: #0d1117; stroke: #30363d; }
    text { fill: #e6edf3; } .dim { fill: #9198a1; } .ok { fill: #3fb950; }
  }
  @media (prefers-reduced-motion: no-preference) {
    text { animation: appear 0.2s both; }
    @keyframes appear { from { opacity: 0; } to { opacity: 1; } }
  }
</style>
<rect x="0.5" y="0.5" width="799" height="INNER" rx="8"/>
`

// drawn returns the picture.
func drawn(frames []frame) string {
	const top, height = 32, 20
	// y is of the next line, at when it appears, in seconds. What was there at -0.2 s is visible at once: a
	// picture that is made of the first moment, as previews are, shows the script.
	y, at := top, -0.2
	var lines strings.Builder
	line := func(class, text string) {
		var escaped strings.Builder
		_ = xml.EscapeText(&escaped, []byte(text)) // a Builder returns no errors
		inner := escaped.String()
		if rest, ok := strings.CutPrefix(inner, "✓"); ok {
			inner = `<tspan class="ok">✓</tspan>` + rest
		}
		fmt.Fprintf(&lines, "<text class=%q x=\"20\" y=\"%d\" style=\"animation-delay:%.1fs\" xml:space=\"preserve\">%s</text>\n", class, y, at, inner)
		y += height
	}
	for i, f := range frames {
		if i > 0 {
			y += height / 2
			at += 1.5
		}
		pause, step := 0.8, 0.1
		if i == 0 {
			pause, step = 0, 0
		}
		line("command", "$ "+f.command)
		at += pause
		for _, text := range f.lines {
			if text != "" {
				line("output", text)
				at += step
			} else {
				y += height
			}
		}
	}
	size := strings.NewReplacer("SIZE", fmt.Sprintf("800 %d", y), "INNER", fmt.Sprint(y-1))
	return size.Replace(picture) + lines.String() + "</svg>\n"
}
