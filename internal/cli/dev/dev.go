// Package dev is an interactive session with a server, for people who write its project: each line that
// is typed is a command, and edits of the project are shown as they happen.
package dev

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/ask"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/screen"
)

// A Session is an interactive session for the author of a project. Set the exported fields, and of the
// client what prints on Stdout where that is not a terminal, and call Run.
type Session struct {
	*ask.Client
	Stdin, Stdout, Stderr *os.File
	Interactive           bool       // Stdin and Stdout are a terminal that understands escape sequences
	Colour                bool       // the user wants colours there
	Columns               func() int // returns the terminal's columns; nil: Stdout is not a terminal

	screen *screen.Screen // nil: not interactive
	lines  <-chan string
	failed bool

	mu      sync.Mutex
	cancel  context.CancelFunc // of the running command; nil: no command runs
	done    <-chan struct{}    // closed when it has ended
	running string             // the first word of the running command

	offered offered
}

// Run reads and executes commands until the end of input. open connects the client with the server when
// its other fields are set; what it returns is closed at the end. Run reports whether it was interrupted:
// by a signal, or by ctrl-c before the server has answered; and whether a command has failed that no user
// has seen fail.
func (d *Session) Run(open func(ctx context.Context) (io.Closer, error)) (interrupted, failed bool, err error) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(signals)
	var results, rest io.Writer = d.Stdout, d.Stderr
	if d.Interactive {
		opened, err := screen.Open(d.Stdin, d.Stdout,
			screen.Options{Prompt: prompt, Complete: d.complete, Interrupt: d.interrupt})
		if err != nil {
			return false, false, err
		}
		defer opened.Close()
		d.screen, d.lines = opened, opened.Lines()
		results, rest = opened, opened
		d.Printer = func() *console.Console { return console.New(opened, d.Colour).Fit(d.Columns) }
	} else {
		d.lines = linesOf(d.Stdin)
	}
	d.Out, d.AsText, d.Terminal = results, true, d.Interactive
	d.Messages = console.New(rest, d.Interactive && d.Colour).Fit(d.Columns)
	d.People = &ask.Audience{Out: d.Messages, Err: rest, Lines: true, In: bufio.NewReader(answers{d}), Stays: true,
		Shows: d.shows}
	var server io.Closer
	err = d.do("", signals, func(ctx context.Context) (err error) {
		if server, err = open(ctx); err == nil {
			d.offered.look(ctx, d.Client)
		}
		return err
	})
	if server != nil {
		defer server.Close()
	}
	switch {
	case errors.Is(err, errCancelled), errors.Is(err, errSignalled):
		return true, false, nil
	case err != nil:
		return false, false, ask.Readable(err)
	}
	if d.screen != nil {
		d.Messages.Say("%s; help lists commands, ctrl-d ends", d.offered.sum())
	}
	interrupted = d.loop(signals)
	return interrupted, d.failed && d.screen == nil, nil
}

const prompt = "> "

// loop executes commands. It reports whether a signal has ended it.
func (d *Session) loop(signals <-chan os.Signal) (interrupted bool) {
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
		err := d.do(line, signals, func(ctx context.Context) error { return d.command(ctx, line) })
		d.People.Leave()
		switch {
		case errors.Is(err, errQuit):
			return false
		case errors.Is(err, errCancelled), errors.Is(err, errSignalled):
			d.failed = true
			d.Messages.Warn("cancelled")
			if errors.Is(err, errSignalled) {
				return true
			}
		case err != nil:
			d.failed = true
			d.Messages.Fail("%v", ask.Readable(err))
		}
	}
}

var (
	errCancelled = errors.New("cancelled")         // by ctrl-c
	errSignalled = errors.New("ended by a signal") // by a signal that ends the session
)

// do runs f for the command in a line, or for none. ctrl-c and signals cancel its context; then the
// error is errCancelled or errSignalled, whatever f returns.
func (d *Session) do(line string, signals <-chan os.Signal, f func(ctx context.Context) error) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	d.begin(ctx, cancel, line)
	defer d.begin(context.Background(), nil, "")
	ended := make(chan error, 1)
	go func() { ended <- f(ctx) }()
	why := errCancelled
	for {
		select {
		case err := <-ended:
			if ctx.Err() != nil {
				return why
			}
			return err
		case s := <-signals:
			cancel()
			if s != os.Interrupt {
				why = errSignalled
			}
		}
	}
}

// begin records which command runs; without a line and cancel no command runs.
func (d *Session) begin(ctx context.Context, cancel context.CancelFunc, line string) {
	d.mu.Lock()
	d.running, _, _ = strings.Cut(line, " ")
	d.cancel, d.done = cancel, ctx.Done()
	d.mu.Unlock()
	if line != "" {
		d.prompt("… ")
	}
}

// interrupt cancels the running command, if any.
func (d *Session) interrupt() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.cancel != nil {
		d.cancel()
	}
	return d.cancel != nil
}

func (d *Session) prompt(text string) {
	if d.screen != nil {
		d.screen.Prompt(text)
	}
}

// shows handles progress, which is shown before the line that is typed, and changes of
// lists.
func (d *Session) shows(method string, params json.RawMessage) bool {
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

func (d *Session) progress(params json.RawMessage) {
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
		d.Messages.Say("%s", text)
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
func (d *Session) changed() {
	if news := d.offered.look(context.Background(), d.Client); news != "" {
		d.Messages.OK("%s", news)
	}
}

// answers reads the lines that are typed while a tool asks a question.
type answers struct{ *Session }

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
