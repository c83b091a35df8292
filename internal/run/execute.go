package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/mcp-bash/mcp-bash/v2/internal/budget"
	"github.com/mcp-bash/mcp-bash/v2/internal/cage"
	"github.com/mcp-bash/mcp-bash/v2/internal/files"
	"github.com/mcp-bash/mcp-bash/v2/internal/lazyregexp"
	"github.com/mcp-bash/mcp-bash/v2/internal/process"
	"github.com/mcp-bash/mcp-bash/v2/internal/sdk"
)

// A job is one run of a script, whatever it is for.
type job struct {
	path, dir string // an empty dir is the project's folder
	args, env []string
	stdin     *os.File       // which execute closes; nil: empty
	limits    process.Limits // that its metadata asks for
	times     times
	output    int  // bytes of stdout that are kept; 0: the default of the limits
	cut       bool // the script is ended when it writes more

	folder   *folder     // of the call, with the files of its channel; nil for none
	client   *sdk.Call   // what its channel answers from; nil: no channel
	listener *listener   // gets its progress and log messages; nil for none
	cage     *cage.Rules // what it may reach; nil: everything

	later func(func()) // runs work that can be done after the answer is sent; nil: it is done before
}

// An outcome is how a script ended and what it wrote.
type outcome struct {
	stdout process.Head
	stderr process.Tail
	ended  process.Result
	made   []string  // the results that SDK helpers built, the one that counts before others
	place  sdk.Place // where one of its commands failed; see failedAt
	hint   string    // what the operator can do if it failed; empty if that is not known
	err    error     // not started, timed out, too much output, or its context was done
}

// errCut is the cause of ending a script that wrote more than its limit.
var errCut = errors.New("it wrote too much")

// A setup is what a job has beside its processes. What is nil was not needed.
type setup struct {
	clock   *clock
	held    *metered     // what the script has written to stdout
	release func()       // of the context that ends after the file which signals it
	stream  *stream      // while the listener gets its lines
	channel *sdk.Channel // while the script can ask
}

// undo is called when all processes of a job have ended, or none could be started. What the script said is read
// to its end before the clock and the context that end it are given up.
func (r *Runtime) undo(ctx context.Context, s *setup, j job, o *outcome) {
	if s.channel != nil {
		o.made, o.place = s.channel.Results(), s.channel.Place()
		r.endChannel(s.channel, j, o)
	}
	if s.stream != nil {
		s.stream.stop()
	}
	s.held.keep(budget.Of(ctx))
	if s.release != nil {
		s.release()
	}
	s.clock.stop()
	if j.stdin != nil {
		j.stdin.Close()
	}
}

// endChannel ends the channel of a job. What another call can use of it is made ready after the answer.
func (r *Runtime) endChannel(c *sdk.Channel, j job, o *outcome) {
	c.End(r.Reuse && j.cage == nil && o.ended.Gone) // what a tool in a sandbox had is not for others
	if j.later == nil {
		c.Free()
		return
	}
	j.later(func() {
		c.Free()
		r.SDK.Prepare()
	})
}

// execute runs a job under a clock of its own, and returns when all of its processes have ended.
func (r *Runtime) execute(ctx context.Context, j job) *outcome {
	o := &outcome{
		stdout: process.Head{Limit: cmp.Or(j.output, r.Limits.Output, defaultOutput)},
		stderr: process.Tail{Limit: cmp.Or(r.Limits.StderrTail, defaultStderrTail)},
	}
	clock := startClock(ctx, j.times)
	s, running := &setup{clock: clock}, clock.context
	if j.folder != nil {
		running, s.release = j.folder.markCancelled(clock.context)
	}
	s.held = &metered{Head: &o.stdout, wait: func() { r.reserve(running, clock, o.stdout.Limit) }}
	defer r.undo(ctx, s, j, o)
	c := process.Command{Path: j.path, Args: j.args, Dir: cmp.Or(j.dir, r.Root), Env: j.env, Limits: j.limits,
		Stdout: s.held, Stderr: r.tee(&o.stderr)}
	if j.stdin != nil {
		c.Stdin = j.stdin
	}
	if j.cage != nil {
		c.Confine = j.cage.Run
	}
	if j.cut {
		s.held.cut = func() { clock.cancel(errCut) }
	}
	if j.listener != nil {
		j.listener.clock = clock
		s.stream = j.folder.stream
		c.Copies = s.stream.listen(j.listener)
	}
	if j.client != nil && r.hasChannels() {
		client := clock.pausedWhileAsking(*j.client)
		client.Alive = clock.progress
		channel, err := r.SDK.Open(running, client)
		if err != nil {
			o.err = orScarce(j.path, err)
			if errors.Is(err, syscall.EMFILE) {
				r.noRoom()
			}
			return o
		}
		s.channel = channel
		c.Env, c.ExtraFiles = append(c.Env, channel.Env()...), channel.Files()
		if from := channel.Requests(); from != nil {
			c.Copies = append(c.Copies, process.Copy{From: from, To: channel})
		}
	}
	if r.Note != nil {
		c.Started = func(pid int) { r.Note(ctx, "pid", pid, "script", r.below(j.path)) }
	}
	o.ended, o.err = r.Runner.Run(running, c)
	if r.Note != nil {
		r.noteEnd(ctx, o)
	}
	if errors.Is(o.err, syscall.EMFILE) {
		r.noRoom()
	}
	if len(o.ended.Left) > 0 {
		if j.folder != nil {
			j.folder.used = true
		}
		r.Log.Warn("processes of a script could not be ended", "script", j.path, "pids", o.ended.Left)
	}
	if hint := r.hintFor(j); hint != nil && o.err == nil && o.ended.ExitCode != 0 {
		if o.hint = hint(o.why(), j.env); o.hint != "" {
			r.Log.Warn("a script failed for want of a variable", "script", j.path, "hint", o.hint)
		}
	}
	return o
}

// noteEnd says how a script ended.
func (r *Runtime) noteEnd(ctx context.Context, o *outcome) {
	more := []any{"after", o.ended.Took}
	if first, _, _ := strings.Cut(strings.TrimSpace(o.stderr.Text()), "\n"); first != "" {
		more = append(more, "stderr", first)
	}
	if o.err != nil {
		more = append(more, "error", o.err.Error())
	}
	r.Note(ctx, "exit", o.ended.ExitCode, more...)
}

// below is a path in the project as people write it.
func (r *Runtime) below(path string) string {
	if rest, ok := files.Inside(r.Root, path); ok {
		return filepath.ToSlash(rest)
	}
	return path
}

func (r *Runtime) hintFor(j job) Hint {
	if j.listener != nil { // a tool
		return r.Hint
	}
	return r.Advice
}

// hasChannels reports whether the limit of open files allows the descriptor numbers that a
// channel uses in its tool. Without a channel, a tool works as on Windows.
func (r *Runtime) hasChannels() bool {
	r.channels.once.Do(func() {
		limit := process.OpenFiles()
		if r.channels.off = limit < leastForChannels; r.channels.off {
			r.Log.Warn("too few files may be open for tools to ask their client; raise the limit (ulimit -n)", "limit", limit,
				"needed", leastForChannels)
		}
	})
	return !r.channels.off
}

// leastForChannels leaves room for Go, which moves descriptors up while it starts a tool.
const leastForChannels = sdk.FirstFD + 16

// orScarce returns err, or instead an error that explains which resource the machine has run out of.
func orScarce(path string, err error) error {
	if e := process.Scarce(path, err); e != nil {
		return e
	}
	return err
}

// printed returns what a script wrote to stdout. If the script failed, the error explains why.
func (r *Runtime) printed(ctx context.Context, j job) ([]byte, error) {
	j.cut = true
	o := r.execute(ctx, j)
	var late *timeout
	switch {
	case ctx.Err() != nil && errors.Is(o.err, context.Cause(ctx)):
		return nil, context.Cause(ctx)
	case errors.As(o.err, &late):
		return nil, late.of(j.path)
	case o.stdout.Truncated():
		return nil, fmt.Errorf("%s printed more than %d bytes", j.path, o.stdout.Limit)
	case o.err != nil:
		return nil, o.err
	case o.overLimit() != nil:
		return nil, fmt.Errorf("%s %w", j.path, o.overLimit())
	case o.ended.ExitCode != 0:
		return nil, fmt.Errorf("%s failed with exit code %d: %s%s", j.path, o.ended.ExitCode, o.reason(), suggestion(o.hint))
	}
	return o.stdout.Bytes(), nil
}

// maxReason is how many bytes of a line of stderr are used as the reason of a failure.
const maxReason = 400

// failedAt returns the place of the command that made the script fail, if it is known. A place reported by
// another script that it started does not count if the script itself ended with another code.
func (o *outcome) failedAt() (p sdk.Place, ok bool) {
	return o.place, o.place.Line > 0 && o.place.Code == o.ended.ExitCode && o.ended.Signal == ""
}

// reason returns one line on why the script failed: the last line of its
// stderr, else how it ended; and where.
func (o *outcome) reason() string {
	why := o.why()
	p, ok := o.failedAt()
	if !ok || shellNames.Get().MatchString(why) {
		return why
	}
	return why + " (" + p.String() + ")"
}

// shellNames matches a message of the shell that names the place itself, such as
// "tool.sh: line 5: x: unbound variable".
var shellNames = lazyregexp.New(`^\S.*: line [0-9]+: `)

func (o *outcome) why() string {
	if last := o.lastSaid(func(string) bool { return true }); last != "" {
		return last
	}
	if o.ended.Signal != "" {
		return "it was ended by " + o.ended.Signal
	}
	return fmt.Sprintf("exit code %d", o.ended.ExitCode)
}

// lastSaid returns the last line of stderr that is right, empty if there is none.
func (o *outcome) lastSaid(right func(line string) bool) string {
	said := strings.TrimSpace(strings.ToValidUTF8(o.stderr.Text(), "\ufffd"))
	for _, line := range slices.Backward(strings.Split(said, "\n")) {
		if line = strings.TrimSpace(line); right(line) {
			if len(line) > maxReason {
				line = strings.ToValidUTF8(line[:maxReason], "") + "…"
			}
			return line
		}
	}
	return ""
}
