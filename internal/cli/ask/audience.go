package ask

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"sync"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
	"github.com/mcp-bash/mcp-bash/v2/server"
)

// An Audience is the user during a call: it shows what the call reports while it runs,
// and asks the call's questions.
type Audience struct {
	Out   *console.Console
	Err   io.Writer     // for other output, such as what tools write to stderr
	Lines bool          // lines of it appear above the progress bar, without control characters: this is a terminal
	In    *bufio.Reader // nil: nobody can answer
	Stays bool          // progress after a call is shown too

	// Shows handles a notification itself, or returns false. It may be nil.
	Shows func(method string, params json.RawMessage) bool

	logs   bool        // the server's own log is shown here too
	stderr *lineWriter // nil: not in lines
	turn   sync.Mutex  // one question at a time

	mu   sync.Mutex // guards all below: a call can be abandoned while it still sends notifications
	bar  *console.Bar
	left bool
}

// Answers reports whether there is a user who can be asked.
func (a *Audience) Answers() bool { return a.In != nil }

// Notify shows progress and log messages.
func (a *Audience) Notify(method string, params json.RawMessage) {
	if a.Shows != nil && a.Shows(method, params) {
		return
	}
	switch method {
	case "notifications/progress":
		a.progress(params)
	case "notifications/message":
		a.message(params)
	}
}

// Elicit asks the user, one question at a time.
func (a *Audience) Elicit(_ context.Context, params json.RawMessage) (any, error) {
	a.turn.Lock()
	defer a.turn.Unlock()
	a.mu.Lock()
	if a.bar != nil {
		a.bar.Done()
		a.bar = nil
	}
	a.mu.Unlock()
	return elicit(a.In, a.Out, params)
}

// Leave removes the bar before the next output. No other is drawn after it, unless the audience stays; lines of the
// server are still shown, since it may end later than the call.
func (a *Audience) Leave() {
	if a.stderr != nil {
		a.stderr.Flush()
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.left = !a.Stays
	if a.bar != nil {
		a.bar.Done()
	}
}

func (a *Audience) progress(params json.RawMessage) {
	var p struct {
		Progress float64
		Total    float64
		Message  string
	}
	if json.Unmarshal(params, &p) != nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.left {
		return
	}
	if a.bar == nil {
		a.bar = a.Out.Progress("", 0)
	}
	a.bar.Show(cmp.Or(p.Message, "working"), p.Progress, p.Total) // an older text would not match the number
}

func (a *Audience) message(params json.RawMessage) {
	var p struct {
		Level, Logger string
		Data          json.RawMessage
	}
	if json.Unmarshal(params, &p) != nil {
		return
	}
	text := string(p.Data)
	if s := ""; json.Unmarshal(p.Data, &s) == nil {
		text = s
	}
	if p.Logger != "" {
		text = fmt.Sprintf("%s: %s", p.Logger, text)
	}
	if p.Logger == server.ProjectLogger && a.logs {
		return // the log shows it already
	}
	a.showLine(p.Level, text)
}

// showLine shows a line above the bar.
func (a *Audience) showLine(level, text string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	say := a.Out.Fail
	switch level {
	case "debug", "info", "notice":
		say = a.Out.Say
	case "warning":
		say = a.Out.Warn
	}
	a.above(func() { say("%s", text) })
}

// above calls write, whose lines appear above the bar if one is shown. a.mu is held.
func (a *Audience) above(write func()) {
	if a.bar == nil {
		write()
		return
	}
	a.bar.Above(write)
}

// Stderr returns what writes to Err.
func (a *Audience) Stderr() io.Writer {
	if !a.Lines {
		return a.Err
	}
	a.stderr = &lineWriter{w: aboveBar{a}}
	return a.stderr
}

type aboveBar struct{ *Audience }

func (b aboveBar) Write(p []byte) (n int, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.above(func() { n, err = b.Err.Write(p) })
	return n, err
}

// Log returns a log of warnings for the server in this process.
func (a *Audience) Log() *slog.Logger {
	a.logs = true
	return slog.New(logHandler{audience: a})
}

// A logHandler shows log records like log messages of the server.
type logHandler struct {
	audience *Audience
	attrs    string
}

func (logHandler) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelWarn }

func (h logHandler) Handle(_ context.Context, r slog.Record) error {
	text := r.Message + h.attrs
	r.Attrs(func(a slog.Attr) bool {
		text += fmt.Sprintf(" %s=%v", a.Key, a.Value)
		return true
	})
	level := "warning"
	if r.Level >= slog.LevelError {
		level = "error"
	}
	h.audience.showLine(level, text)
	return nil
}

func (h logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	for _, a := range attrs {
		h.attrs += fmt.Sprintf(" %s=%v", a.Key, a.Value)
	}
	return h
}

func (h logHandler) WithGroup(string) slog.Handler { return h }
