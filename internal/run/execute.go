package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
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
	running, release := clock.context, func() {}
	if j.folder != nil {
		running, release = j.folder.markCancelled(clock.context)
	}
	stdout := &metered{Head: &o.stdout, ctx: running, clock: clock, cut: j.cut}
	var channel *sdk.Channel
	// What the script said is read to its end before the clock and the context that end it are given up.
	defer func() {
		if channel != nil {
			o.made, o.place = channel.Results(), channel.Place()
			r.endChannel(channel, j, o)
		}
		if j.listener != nil {
			j.folder.stream.stop()
		}
		if stdout.long {
			budget.Of(ctx).Keep(2 * len(o.stdout.Bytes()))
		}
		release()
		clock.stop()
		if j.stdin != nil {
			j.stdin.Close()
		}
	}()
	c := process.Command{Path: j.path, Args: j.args, Dir: cmp.Or(j.dir, r.Root), Env: j.env, Limits: j.limits,
		Stdout: stdout, Stderr: &o.stderr}
	if r.Stderr != nil {
		c.Stderr = io.MultiWriter(&o.stderr, r.Stderr)
	}
	if j.stdin != nil {
		c.Stdin = j.stdin
	}
	if j.cage != nil {
		c.Confine = j.cage.Run
	}
	if j.listener != nil {
		j.listener.clock = clock
		c.Copies = j.folder.stream.listen(j.listener)
	}
	if j.client != nil && r.hasChannels() {
		client := clock.pausedWhileAsking(*j.client)
		client.Alive = clock.progress
		var err error
		if channel, err = r.SDK.Open(running, client); err != nil {
			if o.err = err; process.Scarce(j.path, err) != nil {
				o.err = process.Scarce(j.path, err)
			}
			if errors.Is(err, syscall.EMFILE) {
				r.noRoom()
			}
			return o
		}
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
	hint := r.Advice
	if j.listener != nil { // a tool
		hint = r.Hint
	}
	if hint != nil && o.err == nil && o.ended.ExitCode != 0 {
		if o.hint = hint(o.why(), j.env); o.hint != "" {
			r.Log.Warn("a script failed for want of a variable", "script", j.path, "hint", o.hint)
		}
	}
	return o
}

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

// endedBy returns the error of a script that is not a tool, by name, which was ended or could not be started. Having
// written too much is none.
func (o *outcome) endedBy(ctx context.Context, name string) error {
	var late *timeout
	switch {
	case ctx.Err() != nil && errors.Is(o.err, context.Cause(ctx)):
		return context.Cause(ctx)
	case errors.As(o.err, &late):
		return fmt.Errorf("%s did not end within %v", name, late.limit)
	case errors.Is(o.err, errCut):
		return nil
	}
	return o.err
}

// printed returns what a script wrote to stdout. If the script failed, the error explains why.
func (r *Runtime) printed(ctx context.Context, j job) ([]byte, error) {
	j.cut = true
	o := r.execute(ctx, j)
	err := o.endedBy(ctx, j.path)
	switch {
	case err != nil:
		return nil, err
	case o.stdout.Truncated():
		return nil, fmt.Errorf("%s printed more than %d bytes", j.path, o.stdout.Limit)
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
