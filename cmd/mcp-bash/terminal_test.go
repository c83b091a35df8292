//go:build unix

package main

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/matryer/is"
	"github.com/rivo/uniseg"
	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/bundle"
	"github.com/mcp-bash/mcp-bash/v2/internal/ptytest"
)

// terminalProject makes a project whose tools are shell scripts, and a home of its own beside it.
func terminalProject(t *testing.T, tools map[string]string) (root string, env []string) {
	t.Helper()
	folder := t.TempDir()
	root = filepath.Join(folder, "project")
	write := func(path, text string, mode os.FileMode) {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	const head = "#!/usr/bin/env bash\nsource \"$MCP_SDK/tool-sdk.sh\"\n"
	for name, script := range tools {
		write(filepath.Join(root, "tools", name, "tool.sh"), head+script, 0o755)
	}
	greet := filepath.Join(root, "tools", "greet")
	write(filepath.Join(greet, "tool.sh"), head+"echo \"Hello, $(mcp_args_get .name)!\"\n", 0o755)
	write(filepath.Join(greet, "tool.meta.json"), `{
		"name": "greet",
		"description": "Greets somebody by a name, which can be any text, in the language of the country where they live",
		"inputSchema": {
			"type": "object",
			"properties": {"name": {"type": "string"}, "language": {"type": "string"}, "times": {"type": "integer"}},
			"required": ["name"]
		}
	}`, 0o644)
	write(filepath.Join(folder, "home", ".profile"), "", 0o644)
	return root, []string{"HOME=" + filepath.Join(folder, "home"), "TMPDIR=" + t.TempDir()}
}

// gate is a shell function that waits until somebody opens the gate of that name.
const gate = `gate() { read -r _ <"$MCPBASH_PROJECT_ROOT/$1"; }
`

// gates makes gates in a project. The function opens one for the script that waits there.
func gates(t *testing.T, root string, names ...string) (open func(name string)) {
	t.Helper()
	for _, name := range names {
		mkfifo(t, filepath.Join(root, name))
	}
	return func(name string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(root, name), []byte("\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

const fourSteps = gate + `
for step in 1 2 3 4; do
  mcp_progress "$step" "step $step of a message that is longer than a narrow line" 4
  gate "$step"
done
echo done
`

func TestProgressIsOneLineThatLeavesNothingBehind(t *testing.T) {
	const wide = "step 2 of a message that is longer than a nar…  " +
		"██████████░░░░░░░░░░   50%  2/4"
	for name, c := range map[string]struct {
		columns int
		env     []string
		want    string // of the second step
		bars    bool
	}{
		"wide":     {80, nil, wide, true},
		"narrow":   {40, nil, "step 2 of a message that is…   50%  2/4", true},
		"NO_COLOR": {80, []string{"NO_COLOR=1"}, wide, true},
		"dumb":     {80, []string{"TERM=dumb"}, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			root, env := terminalProject(t, map[string]string{"steps": fourSteps})
			open := gates(t, root, "1", "2", "3", "4")
			x := ptytest.Start(t, ptytest.Options{Columns: c.columns, Env: append(env, c.env...)},
				"mcp-bash", "call", "steps", "-C", root)
			for _, step := range []string{"1", "2", "3", "4"} {
				if c.bars {
					s := x.See("step " + step)
					is.True(strings.HasSuffix(s.Last(), step+"/4")) // text and figure agree
					if step == "2" {
						is.Equal(s.Last(), c.want)
					}
				}
				open(step)
			}
			is.Equal(x.Wait(), 0)
			is.Equal(x.Screen().String(), "done")
			for _, s := range x.Screens() {
				is.True(len(s.Lines) <= 1)
			}
			if !c.bars {
				is.True(!strings.ContainsRune(x.Raw(), '\x1b'))
			}
			is.True(!strings.Contains(x.Raw(), "\x1b[3")) // nothing here has a colour
		})
	}
}

func TestFractionsAreShownAsTheyAre(t *testing.T) {
	is := is.New(t)
	root, env := terminalProject(t, map[string]string{"half": gate + `
at() {
  printf '{"jsonrpc":"2.0","method":"notifications/progress",` +
		`"params":{"progressToken":%s,"progress":%s,"total":1%s}}\n' \
    "$MCP_PROGRESS_TOKEN" "$1" "${2-}" >>"$MCP_PROGRESS_STREAM"
}
at 0.5 ',"message":"copying"'
gate on
at 0.75
gate off
`})
	open := gates(t, root, "on", "off")
	x := ptytest.Start(t, ptytest.Options{Env: env}, "mcp-bash", "call", "half", "-C", root)
	is.Equal(x.See("copying").Last(), "copying  ██████████░░░░░░░░░░   50%  0.5/1")
	open("on")
	// The older text would not fit.
	is.Equal(x.See("0.75/1").Last(), "working  ███████████████░░░░░   75%  0.75/1")
	open("off")
	is.Equal(x.Wait(), 0)
}

func TestWhatIsLoggedGoesAboveTheBar(t *testing.T) {
	is := is.New(t)
	root, env := terminalProject(t, map[string]string{"talks": gate + `
mcp_progress 1 working 2
mcp_log info talks "half way, with 日本語 and more than there is room for"
echo on stderr >&2
gate on
`})
	open := gates(t, root, "on")
	x := ptytest.Start(t, ptytest.Options{Columns: 40, Env: env}, "mcp-bash", "call", "talks", "-v", "-C", root)
	s := x.Until("all is shown", func(s ptytest.Screen) bool {
		return s.Contains("on stderr") && s.Contains("room for") && strings.HasPrefix(s.Last(), "working")
	})
	is.Equal(len(s.Lines), 4)
	is.True(strings.Contains(s.String(), "talks: half way, with 日本語 and more\n  than there is room for\n"))
	open("on")
	is.Equal(x.Wait(), 0)
	is.True(!x.Screen().Contains("working"))
}

func TestCtrlCLeavesACleanLine(t *testing.T) {
	is := is.New(t)
	root, env := terminalProject(t, map[string]string{"waits": gate + "mcp_progress 1 waiting 2\ngate never\n"})
	gates(t, root, "never")
	x := ptytest.Start(t, ptytest.Options{Env: env}, "mcp-bash", "call", "waits", "-C", root)
	x.See("waiting")
	x.Type(ptytest.CtrlC)
	is.Equal(x.Wait(), 130)
	is.Equal(x.Screen().String(), "")
	is.Equal(x.Screen().Column, 0)
	is.True(x.Cooked())
}

func TestANarrowerTerminalGetsANarrowerBar(t *testing.T) {
	is := is.New(t)
	root, env := terminalProject(t, map[string]string{"steps": fourSteps})
	open := gates(t, root, "1", "2", "3", "4")
	x := ptytest.Start(t, ptytest.Options{Env: env}, "mcp-bash", "call", "steps", "-C", root)
	x.See("1/4")
	x.Resize(40, 24)
	open("1")
	is.Equal(x.See("2/4").String(), "step 2 of a message that is…   50%  2/4")
	for _, step := range []string{"2", "3", "4"} {
		open(step)
	}
	is.Equal(x.Wait(), 0)
	is.Equal(x.Screen().String(), "done")
}

func TestResultsAreTextOnATerminalAndJSONElsewhere(t *testing.T) {
	root, env := terminalProject(t, map[string]string{"lines": "seq 1 60\n"})
	for _, command := range []string{"run-tool", "call"} {
		is := is.New(t)
		lines := func(more ...string) []string {
			x := ptytest.Start(t, ptytest.Options{Lines: 80, Env: env},
				append([]string{"mcp-bash", command, "lines", "-C", root}, more...)...)
			is.Equal(x.Wait(), 0)
			return x.Screen().Lines
		}
		text := lines()
		is.Equal(len(text), 60)
		is.Equal(text[59], "60")
		is.True(strings.Contains(strings.Join(lines("--json"), ""), `"text": "1\n2\n3`))
		x := ptytest.Start(t, ptytest.Options{Env: env},
			"sh", "-c", `mcp-bash "$@" | head -c 200`, "sh", command, "lines", "-C", root)
		is.Equal(x.Wait(), 0)
		is.True(x.Screen().Contains(`"text":"1\n2\n3`)) // on one line
	}
}

func TestAToolThatFailsOrIsMissingIsReportedInWords(t *testing.T) {
	is := is.New(t)
	root, env := terminalProject(t, map[string]string{"fails": "echo it is broken >&2; exit 3\n"})
	x := ptytest.Start(t, ptytest.Options{Env: env}, "mcp-bash", "call", "fails", "-C", root)
	is.Equal(x.Wait(), 1)
	is.Equal(x.Screen().String(), "Tool failed: it is broken\n✗ the tool has failed")
	x = ptytest.Start(t, ptytest.Options{Env: env}, "mcp-bash", "call", "fail", "-C", root)
	is.Equal(x.Wait(), 1)
	is.Equal(x.Screen().String(), `mcp-bash: no tool is called "fail"; did you mean fails?`)
}

func TestAFormIsFilledInOnATerminal(t *testing.T) {
	is := is.New(t)
	root, env := terminalProject(t, map[string]string{"form": `
answer="$(mcp_elicit "Who are you?" '{"type":"object","properties":{
  "name":{"type":"string","title":"Your name"},
  "age":{"type":"integer","minimum":18,"maximum":99},
  "size":{"type":"string","oneOf":[{"const":"s","title":"Small"},{"const":"l","title":"Large"}]}},
  "required":["name","size"]}')"
mcp_jq .content "$answer"
`})
	x := ptytest.Start(t, ptytest.Options{Env: env}, "mcp-bash", "call", "form", "-C", root)
	x.See("name, Your name (required): ")
	x.Type("Ada\r")
	x.See("age (18 to 99): ")
	x.Type("7\r")
	x.Until("the age is asked for again, below why", func(s ptytest.Screen) bool {
		return s.Contains("  expected at least 18, got 7") && s.Last() == "age (18 to 99):"
	})
	x.Type("36\r")
	x.See("size (a number from 1 to 2, required): ")
	x.Type("2\r")
	is.Equal(x.Wait(), 0)
	is.Equal(x.Screen().String(), strings.TrimPrefix(`
Who are you?
  press Enter for the default in brackets; ctrl-d cancels
name, Your name (required): Ada
age (18 to 99): 7
  expected at least 18, got 7
age (18 to 99): 36
  1  Small
  2  Large
size (a number from 1 to 2, required): 2
{"age":36,"name":"Ada","size":"l"}`, "\n"))
}

// commands are all that can be typed.
func commands(cmd *cobra.Command) (all []string) {
	for _, c := range cmd.Commands() {
		if !c.Hidden && c.Name() != "jq" { // its help is jq's
			all = append(all, c.CommandPath())
			all = append(all, commands(c)...)
		}
	}
	return all
}

func TestHelpFitsANarrowTerminal(t *testing.T) {
	_, env := terminalProject(t, nil)
	root := command(streams{os.Stdin, os.Stdout, os.Stderr}, nil, func(int) {})
	fitsIn(t, 40, t.TempDir(), env,
		append([]string{"sh", "-c", `mcp-bash; mcp-bash help; for c; do $c --help; done`, "sh"}, commands(root)...)...)
}

func TestEveryCommandFitsANarrowTerminal(t *testing.T) {
	is := is.New(t)
	root, env := terminalProject(t, map[string]string{"odd": "eval echo $1 $undefined\nmcp_args_gte .x\n"})
	// Packing this program itself would take seconds.
	program := filepath.Join(t.TempDir(), "program")
	is.NoErr(os.WriteFile(program, []byte("\nbuild\tGOOS="+runtime.GOOS+"\n"), 0o700))
	smallBundle := "bundle --binary " + string(bundle.PlatformOf(runtime.GOOS)) + "=" + program
	for _, line := range []string{
		"validate", "validate --explain-defaults", "validate --strict", "doctor", "list", "list tools", "chain",
		"call greet name=you", "call greet --dry-run", "get nothing", "read file:///nowhere", "complete",
		"health", "registry status", "registry refresh", "version", "version --json",
		"install", "install nobody", "uninstall nobody",
		"scaffold tool more", "scaffold prompt more", "scaffold resource more", "adopt tools/odd/tool.sh --yes",
		"new other", "init", "vendor", smallBundle, "publish nothing.mcpb", "replay nothing",
		"nonsense", "validate --nonsense", "list nonsense", "call", "serve --middleware-trace=nonsense",
	} {
		fitsIn(t, 40, root, env, append([]string{"mcp-bash"}, strings.Fields(line)...)...)
	}
}

// fitsIn runs a program and fails for every line that is wider than the terminal.
func fitsIn(t *testing.T, columns int, dir string, env []string, argv ...string) {
	t.Helper()
	x := ptytest.Start(t, ptytest.Options{Columns: columns, Dir: dir, Env: env}, argv...)
	x.Type(ptytest.CtrlD) // nobody answers
	x.Wait()
	fits(t, columns, argv, escapes.ReplaceAllString(strings.ReplaceAll(x.Raw(), "\r\n", "\n"), ""))
}

var escapes = regexp.MustCompile(`\x1b\[[0-9;?]*[A-Za-z]`)

// fits fails for lines of a text that are too wide, though they have blanks to be broken at.
// Lines of JSON are as they are.
func fits(t *testing.T, columns int, argv []string, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line[strings.LastIndexByte(line, '\r')+1:], "\n")
		words := strings.Fields(line)
		if len(words) > 1 && strings.Contains("✗⚠✓#", words[0]) {
			words = words[1:] // a mark, and what it marks
		}
		if len(words) > 1 && words[len(words)-1] == `\` {
			words = words[:len(words)-1] // a part of a command
		}
		if uniseg.StringWidth(line) > columns && len(words) > 1 && !strings.ContainsAny(words[0][:1], `{}[]"'`) {
			t.Errorf("%q is wider than %d: %s", argv, columns, line)
		}
	}
}

func mkfifo(t *testing.T, path string) {
	t.Helper()
	if err := unix.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
}
