package check

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
	"github.com/mcp-bash/mcp-bash/v2/internal/process"
	"github.com/mcp-bash/mcp-bash/v2/internal/shellfile"
)

// maxScript is the maximum size of a script that is checked.
const maxScript = 1 << 20

// lint checks all scripts, several at a time. The error is that ctx ended.
func (c *contents) lint(ctx context.Context) error {
	found := make([][]Message, len(c.scripts))
	var mu sync.Mutex
	done := 0
	group, until := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, s := range c.scripts {
		group.Go(func() error {
			if until.Err() != nil {
				return context.Cause(until)
			}
			found[i] = c.script(until, s)
			mu.Lock()
			defer mu.Unlock()
			if done++; c.options.Step != nil {
				c.options.Step(done, len(c.scripts))
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	var sound []*source
	for i, s := range c.scripts {
		if s.sound(found[i]) {
			sound = append(sound, s)
		}
	}
	c.messages = append(c.messages, slices.Concat(found...)...)
	c.shellcheck(ctx, sound)
	return context.Cause(ctx)
}

// script checks a script.
func (c *contents) script(ctx context.Context, s *source) []Message {
	var all []Message
	if s.started {
		all = refusals(s.path, s.text, c.options.Env)
	}
	if err := s.err; err == nil {
		for _, m := range s.endings(s.text) {
			if slices.ContainsFunc(all, func(earlier Message) bool { return earlier.Rule == m.Rule }) {
				continue
			}
			if m.Rule == "crlf" && s.runs(c.options) {
				if reads, asked := c.ask(ctx, s.shell.interpreter, s.path); asked && !reads {
					m.Level = Error // our parser ignores a CR, shells do not
				}
			}
			all = append(all, m)
		}
		all = append(all, c.look(ctx, s)...)
	} else if len(all) == 0 && !errors.Is(err, errProgram) {
		if fault, ok := errors.AsType[*fs.PathError](err); ok {
			err = fault.Err // without the path, which the message has
		}
		all = []Message{{Level: Warning, Rule: "syntax",
			Message: fmt.Sprintf("%v: the script %v", shellfile.ErrNotParsed, err)}}
	}
	for i := range all {
		all[i].Section, all[i].File = s.section, c.project.Rel(s.path)
	}
	return all
}

// look checks the text of a shell script.
func (c *contents) look(ctx context.Context, t *source) []Message {
	s := t.shell
	switch {
	case !t.isShell:
		return c.foreign(ctx, t)
	case s.err == nil:
		slips := s.doubleBrackets(t.runs(c.options))
		slips = append(slips, s.misspelt(c.options.Helpers, c.functions)...)
		if t.started && t.section == "tools" && !c.withArgv[t.path] {
			slips = append(slips, s.positional()...)
		}
		if t.path == filepath.Join(c.project.ServerDir(), policyHook) {
			slips = append(slips, s.undecided()...)
		}
		return slices.DeleteFunc(slips, s.allowed)
	}
	if errors.Is(s.err, shellfile.ErrNotParsed) {
		return []Message{{Level: Warning, Rule: "syntax", Message: s.err.Error()}}
	}
	m := s.fault()
	if !t.runs(c.options) {
		m.Level = Warning // it is not known how it is used
	} else if reads, _ := c.ask(ctx, s.interpreter, t.path); reads && !(s.bashism && isDash(s.interpreter[0])) {
		m.Level = Warning
		m.Message += "; " + path.Base(s.interpreter[0]) + " accepts it anyway"
	}
	return []Message{m}
}

var errProgram = errors.New("a program")

// read reads a script, unless it is a binary: the error is errProgram then.
func read(path string) ([]byte, error) {
	text, err := files.Read(path, maxScript)
	switch {
	case bytes.IndexByte(text, 0) < 0:
		return text, err
	case bytes.HasPrefix(text, []byte("#!")):
		return nil, fmt.Errorf("has a zero byte in line %d", 1+bytes.Count(text[:bytes.IndexByte(text, 0)], []byte("\n")))
	}
	return nil, errProgram
}

// refusals reports why a script could not be started, or would not be by the system alone.
func refusals(path string, text []byte, env []string) []Message {
	var all []Message
	if e := process.Inspect(path, env); e != nil {
		m := Message{Level: Error, Message: e.Reason, Hint: e.Hint, Rule: "interpreter"}
		switch {
		case errors.Is(e, fs.ErrPermission):
			m.Rule, m.Fixable, m.repair = "exec-bit", true, setExec
		case process.IsBatch(path):
		case hasCR(firstLine(text)):
			m.Rule, m.Line, m.Fixable, m.repair = "crlf", 1, true, toLF
		case bytes.HasPrefix(text, append(bom[:len(bom):len(bom)], "#!"...)):
			m.Rule, m.Line, m.Fixable, m.repair = "bom", 1, true, dropBOM
		case text != nil && !bytes.HasPrefix(text, []byte("#!")):
			m.Rule, m.Line = "shebang", 1
		default:
			m.Line = 1
		}
		return []Message{m}
	}
	if !process.Executable(path) {
		all = append(all, Message{Level: Error, Rule: "exec-bit", Fixable: true, repair: setExec,
			Message: "it is not executable", Hint: "run chmod +x " + path + "; until then its interpreter is started with it"})
	}
	if text != nil && !bytes.HasPrefix(bytes.TrimPrefix(text, bom), []byte("#!")) && !process.IsBatch(path) {
		interpreter := "bash"
		if by := process.ByEnding(path); by != nil {
			interpreter = by[0]
		}
		all = append(all, Message{Level: Warning, Rule: "shebang", Line: 1,
			Message: "its first line names no interpreter, so its file extension decides",
			Hint:    "begin the file with the line #!/usr/bin/env " + interpreter})
	}
	return all
}

var bom = []byte("\xef\xbb\xbf")

// endings reports what editors on Windows leave in a script that starts nevertheless: a byte order
// mark, and CR LF.
func (t target) endings(text []byte) []Message {
	var all []Message
	if process.IsBatch(t.path) {
		return nil // a batch file
	}
	if bytes.HasPrefix(text, bom) {
		all = append(all, Message{Level: Warning, Rule: "bom", Line: 1, Fixable: true, repair: dropBOM,
			Message: "it begins with a byte order mark, which shells treat as part of the first word",
			Hint:    "save it as UTF-8 without BOM"})
		text = text[len(bom):]
	}
	_, _, isShell := t.dialect(text)
	if at := bytes.Index(text, []byte("\r\n")); at >= 0 && isShell {
		all = append(all, Message{Level: Warning, Rule: "crlf", Line: 1 + bytes.Count(text[:at], []byte("\n")),
			Fixable: true, repair: toLF,
			Message: "lines end with CR LF, as on Windows: shells treat the CR as part of the last word",
			Hint:    "save it with LF line endings"})
	}
	return all
}

func hasCR(text []byte) bool { return bytes.IndexByte(text, '\r') >= 0 }

func firstLine(text []byte) []byte {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	return line
}

// ask runs a shell to parse a script without executing it; asked is false if there is no such shell.
// Options on the #! line are ignored, and so is its path: they could make the shell run something, or
// name a program of the project that is only called like a shell.
func (c *contents) ask(ctx context.Context, interpreter []string, file string) (reads, asked bool) {
	if c.options.Runner == nil {
		return false, false
	}
	shell := path.Base(interpreter[0])
	with := process.Command{Path: "/usr/bin/env", Args: []string{shell, "-n", file}, Env: c.options.Env}
	if interpreter[0] == "/bin/"+shell || interpreter[0] == "/usr/bin/"+shell {
		with.Path, with.Args = interpreter[0], []string{"-n", file}
	}
	if runtime.GOOS == "windows" {
		if with.Path = process.Interpreter(shell, c.options.Env); with.Path == "" {
			return false, false
		}
		with.Args = []string{"-n", filepath.ToSlash(file)}
	}
	ctx, cancel := context.WithTimeout(ctx, shellPatience)
	defer cancel()
	ended, err := c.options.Runner.Run(ctx, with)
	return err == nil && ended.ExitCode == 0, err == nil && ended.ExitCode != 127 // there is no such shell
}
