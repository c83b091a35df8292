package hooks

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"github.com/mcp-bash/mcp-bash/v2/internal/process"
)

// library defines the functions that every hook may call.
//
//go:embed lib.sh
var library string

// A Host is the environment in which the hooks of a project run. The zero value runs none.
type Host struct {
	Root      string // the project's folder, their working directory
	ServerDir string // the folder of the hooks
	Rules     Rules
	Bash      func() string // the bash that runs them; asked for when one runs
	Runner    *process.Runner
	Env       func() []string // likewise, the whole environment, as NAME=value
}

// Path returns the path of a hook, whether it exists or not.
func (h Host) Path(name string) string { return filepath.Join(h.ServerDir, name) }

// Check returns why [Host.Open] would not open the hook; nil if it would.
func (h Host) Check(name string) error { return h.Rules.Check(h.Root, h.Path(name)) }

// Open opens the hook of that name, such as policy.sh, see [Rules.Open].
func (h Host) Open(name string) (*Script, error) { return h.Rules.Open(h.Root, h.Path(name)) }

// A Program is bash code that sources a hook.
type Program struct {
	Text  string        // it gets the path of the hook in $1, and calls functions of lib.sh
	Args  []string      // $2 and so on
	Env   []string      // in addition to those of the Host
	Limit time.Duration // how long it may take; 0: until its context ends
	Head  int           // how many bytes of stdout are kept
	Tail  int           // and how many of the end of stderr; 0: a few KiB
}

// A Result is the exit status and the output of a program.
type Result struct {
	Stdout    []byte
	Truncated bool   // stdout was longer than Head, or stderr than a Tail that is set
	Stderr    string // the end of its stderr
	ExitCode  int
	Err       error // it did not run or was ended
}

// stderrBytes is how much of stderr is kept, or logged.
const stderrBytes = 4 << 10

// Run runs a program with an open hook.
//
// Hooks find files beside themselves by BASH_SOURCE, which bash sets to the name by which a file
// was opened and which cannot be assigned. So a hook is sourced by its name, not as /dev/fd/3,
// which would hide its place. Bash compares the two first. Between that and opening the name, only
// users who may write the hook anyway could replace it: [Rules.Open] has checked the folders.
func (h Host) Run(ctx context.Context, s *Script, p Program) Result {
	if p.Limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, p.Limit, fmt.Errorf("did not end within %v", p.Limit))
		defer cancel()
	}
	stdout, stderr := process.Head{Limit: p.Head}, process.Tail{Limit: cmp.Or(p.Tail, stderrBytes)}
	env := process.WithLocale(h.Env())
	ended, err := h.Runner.Run(ctx, process.Command{
		Path:       h.Bash(),
		Args:       s.arguments(p.Text, p.Args),
		Dir:        h.Root,
		Env:        append(env[:len(env):len(env)], p.Env...),
		Stdout:     &stdout,
		Stderr:     &stderr,
		ExtraFiles: s.files(),
	})
	return Result{Stdout: stdout.Bytes(), Truncated: stdout.Truncated() || p.Tail > 0 && stderr.Truncated(),
		Stderr: stderr.Text(), ExitCode: ended.ExitCode, Err: err}
}

// Message returns the stderr of the program, as one line that is safe to print.
func (r Result) Message() string {
	text := strings.ToValidUTF8(r.Stderr, "\ufffd")
	return strings.Join(strings.FieldsFunc(text, func(c rune) bool { return unicode.IsSpace(c) || unicode.IsControl(c) }),
		" ")
}

// Failure returns why the program failed, with its stderr; nil if it did not.
func (r Result) Failure() error {
	err := r.Err
	if err == nil && r.ExitCode != 0 {
		err = fmt.Errorf("ended with exit code %d", r.ExitCode)
	}
	if message := r.Message(); err != nil && message != "" {
		err = fmt.Errorf("%w: %s", err, message)
	}
	return err
}

// arguments returns the arguments of a bash that runs text with the hook.
func (s *Script) arguments(text string, more []string) []string {
	if len(s.files()) > 0 {
		text = compare + text
	}
	return append([]string{"-c", library + text, "mcp-bash", s.path}, more...)
}

// compare exits if the name of the hook now belongs to another file than the one that was checked.
const compare = `[ "$1" -ef /dev/fd/3 ] || [ ! -e /dev/fd/3 ] || ` +
	`{ printf '%s was replaced while it was about to run\n' "$1" >&2; exit 1; }
exec 3<&-
`
