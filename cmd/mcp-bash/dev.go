package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/clients"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/screen"
)

func devCommand(p program) *cobra.Command {
	a := clientCommand{program: p}
	var inspector bool
	cmd := &cobra.Command{
		Use:   "dev",
		Short: "Try a project by hand while you write it",
		Long: `Serve the project to you: type the name of a tool with its arguments, as for
mcp-bash call, and see what a client would get. Logs, progress and questions of tools
and what they write to stderr are shown as they come, and so are edits of the project:
what lists have gained and lost, and what of the project is broken.

` + devHelp + `
A value is text, unless the tool's schema gives it another type; one with blanks
is written 'in quotes' or "in quotes", and after := it is JSON, which needs none. The tab
key completes names and arguments, the arrow keys bring back earlier lines. Ctrl-c
cancels the call that runs, or empties the line; on an empty one it ends, as ctrl-d does.

Where stdin is not a terminal, each of its lines is a command, or the answer to a question
of the tool that runs; lines that begin with # are left out. Results go to stdout, all
else to stderr, and the exit code is 1 if a command has failed.`,
		Example: `  mcp-bash dev
  echo 'resize file=photo.png width=800' | mcp-bash dev --json
  mcp-bash dev --inspector`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if words, err := a.words(cmd, args, 0, -1, ""); err != nil {
				return err
			} else if len(words) > 0 {
				return wrongWord(cmd, words[0])
			}
			if inspector {
				_, entry, err := p.server()
				if err != nil {
					return err
				}
				_, err = fmt.Fprintln(p.out, clients.Inspector(entry))
				return err
			}
			return (&devSession{clientCommand: &a}).run()
		},
	}
	a.flags(cmd)
	cmd.Flags().Lookup("json").Usage = "print results as JSON, until \"raw off\" is typed"
	cmd.Flags().BoolVar(&inspector, "inspector", false, "print the command that opens the project in the MCP Inspector")
	return cmd
}

// A devSession is an interactive session for the author of a project.
type devSession struct {
	*clientCommand
	screen   *screen.Screen // nil: stdin or stdout is not a terminal
	lines    <-chan string
	messages *console.Console // everything but results
	stderr   *lineWriter      // of tools
	failed   bool

	mu      sync.Mutex
	cancel  context.CancelFunc // of the running command; nil: no command runs
	done    <-chan struct{}    // closed when it has ended
	running string             // the first word of the running command

	offered offered
}

// run reads and executes commands until the end of input.
func (d *devSession) run() error {
	d.results, d.rest, d.asText = d.out, d.err, true
	if isTerminal(d.in) && isTerminal(d.out) && d.env["TERM"] != "dumb" {
		opened, err := screen.Open(d.in, d.out, screen.Options{Prompt: prompt, Complete: d.complete, Interrupt: d.interrupt})
		if err != nil {
			return err
		}
		defer opened.Close()
		d.screen, d.lines = opened, opened.Lines()
		d.results, d.rest, d.atTerminal = opened, opened, true
	} else {
		d.lines = linesOf(d.in)
	}
	d.messages = console.New(d.rest, d.screen != nil && d.env["NO_COLOR"] == "")
	if d.screen != nil || isTerminal(d.out) {
		d.width = func() int { return columns(d.out) }
		d.messages.Fit(d.width)
	}
	d.people = &audience{out: d.messages, in: bufio.NewReader(answers{d}), stays: true, shows: d.shows}
	d.stderr = &lineWriter{w: d.rest}
	d.toolStderr = d.stderr
	exit := d.exit
	d.exit = func(int) { // a result with isError
		d.failed = true
		d.messages.Fail("the tool has failed")
	}
	if err := d.open(); err != nil {
		return readableError(err)
	}
	defer d.session.Close()
	d.offered.look(context.Background(), d.clientCommand)
	if d.screen != nil {
		d.messages.Say("%s; help lists commands, ctrl-d ends", d.offered.sum())
	}
	interrupted := d.loop()
	switch {
	case interrupted:
		exit(130)
	case d.failed && d.screen == nil:
		exit(1)
	}
	return nil
}

const prompt = "> "

// loop executes commands. It reports whether a signal has ended it.
func (d *devSession) loop() (interrupted bool) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(signals)
	for {
		d.prompt(prompt)
		var line string
		select {
		case <-signals:
			return true
		case typed, more := <-d.lines:
			if !more {
				return false
			}
			line = strings.TrimSpace(typed)
		}
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		ctx, cancel := context.WithCancel(context.Background())
		d.begin(ctx, cancel, line)
		ended := make(chan error, 1)
		go func() { ended <- d.command(ctx, line) }()
		var err error
		for running := true; running; {
			select {
			case err = <-ended:
				running = false
			case s := <-signals:
				cancel()
				interrupted = interrupted || s != os.Interrupt
			}
		}
		d.stderr.flush()
		cancelled := ctx.Err() != nil
		cancel()
		d.begin(context.Background(), nil, "")
		switch {
		case errors.Is(err, errQuit):
			return false
		case cancelled:
			d.failed = true
			d.messages.Warn("cancelled")
		case err != nil:
			d.failed = true
			d.messages.Fail("%v", readableError(err))
		}
		if interrupted {
			return true
		}
	}
}

// begin records which command runs; an empty line means that no command runs.
func (d *devSession) begin(ctx context.Context, cancel context.CancelFunc, line string) {
	d.mu.Lock()
	d.running, _, _ = strings.Cut(line, " ")
	d.cancel, d.done = cancel, ctx.Done()
	d.mu.Unlock()
	if line != "" {
		d.prompt("… ")
	}
}

// interrupt cancels the running command, if any.
func (d *devSession) interrupt() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.cancel != nil {
		d.cancel()
	}
	return d.cancel != nil
}

func (d *devSession) prompt(text string) {
	if d.screen != nil {
		d.screen.Prompt(text)
	}
}

// shows handles progress, which is shown before the line that is typed, and changes of
// lists.
func (d *devSession) shows(method string, params json.RawMessage) bool {
	switch method {
	case "notifications/progress":
		d.progress(params)
		return true
	case "notifications/tools/list_changed", "notifications/resources/list_changed", "notifications/prompts/list_changed":
		go d.changed() // in a goroutine: a request waits for messages that are read here
		return true
	}
	return false
}

func (d *devSession) progress(params json.RawMessage) {
	var p struct {
		Progress json.Number
		Total    json.Number
		Message  string
	}
	if json.Unmarshal(params, &p) != nil {
		return
	}
	text := string(p.Progress)
	if p.Total != "" {
		text += "/" + string(p.Total)
	}
	if p.Message != "" {
		text += " " + p.Message
	}
	if d.screen == nil {
		d.messages.Say("%s", text)
		return
	}
	d.mu.Lock()
	running := d.running
	d.mu.Unlock()
	if running != "" {
		d.prompt(strings.ReplaceAll(console.Plain(running+" "+text), "\n", " ") + " … ")
	}
}

// changed shows which items were added to lists and removed from them.
func (d *devSession) changed() {
	if news := d.offered.look(context.Background(), d.clientCommand); news != "" {
		d.messages.OK("%s", news)
	}
}

// answers reads the lines that are typed while a tool asks a question.
type answers struct{ *devSession }

func (a answers) Read(b []byte) (int, error) {
	a.mu.Lock()
	done := a.done
	a.mu.Unlock()
	if done == nil {
		return 0, io.EOF // the call has ended: what is typed is a command
	}
	select {
	case line, more := <-a.lines:
		if !more {
			return 0, io.EOF
		}
		return copy(b, line+"\n"), nil
	case <-done:
		return 0, io.EOF
	}
}

// lineWriter is a writer that passes lines on when they are complete. It is safe for concurrent use.
type lineWriter struct {
	w io.Writer

	mu    sync.Mutex
	begun []byte
}

func (l *lineWriter) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.begun = append(l.begun, b...)
	const longest = 1 << 16
	whole := bytes.LastIndexByte(l.begun, '\n') + 1
	if whole == 0 && len(l.begun) > longest {
		whole = len(l.begun)
	}
	if whole > 0 {
		l.pass(l.begun[:whole])
		l.begun = append(l.begun[:0], l.begun[whole:]...)
	}
	return len(b), nil
}

// flush passes on an incomplete last line.
func (l *lineWriter) flush() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.begun) > 0 {
		l.pass(l.begun)
		l.begun = l.begun[:0]
	}
}

func (l *lineWriter) pass(b []byte) {
	text := console.Plain(string(b))
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	_, _ = io.WriteString(l.w, text) // ignored, as for everything that is shown
}

// linesOf returns a channel of the lines of in, closed at its end.
func linesOf(in io.Reader) <-chan string {
	lines := make(chan string)
	go func() {
		defer close(lines)
		for r := bufio.NewReader(in); ; {
			line, err := r.ReadString('\n')
			if line != "" {
				lines <- line
			}
			if err != nil {
				return
			}
		}
	}()
	return lines
}
