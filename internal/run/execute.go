package run

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/script"
	"github.com/mcp-bash/mcp-bash/v2/internal/sdk"
)

// A job is one run of a script, whatever it is for.
type job struct {
	path, dir string // dir is the project's if empty
	args, env []string
	times     times
	output    int  // bytes of stdout that are kept; 0: as the limits say
	cut       bool // the script is ended when it writes more

	folder   *folder   // told of its end, and where the files of its channel lie; nil for none
	client   *sdk.Call // what its channel answers from; nil: it has none
	shell    *shell    // was started ahead for it; nil: none was
	listener *listener // hears what it tells while it works; nil: nobody does
}

// An outcome is what a script left.
type outcome struct {
	stdout script.Head
	stderr script.Tail
	ended  script.Result
	err    error // of the run: not started, ended by the clock, or for its output, or with its context
}

// errCut is the end of a script that wrote more than it may.
var errCut = errors.New("it wrote too much")

// execute runs a job under a clock of its own, and returns when nothing of it is left.
func (r *Runtime) execute(ctx context.Context, j job) *outcome {
	clock := startClock(ctx, j.times)
	defer clock.stop()
	o := &outcome{
		stdout: script.Head{Limit: or(j.output, or(r.Limits.Output, defaultOutput))},
		stderr: script.Tail{Limit: or(r.Limits.StderrTail, defaultStderrTail)},
	}
	running, release := clock.context, func() {}
	if j.folder != nil {
		running, release = j.folder.markCancelled(clock.context)
	}
	defer release()
	c := script.Command{Path: j.path, Args: j.args, Dir: or(j.dir, r.Root), Env: j.env, Stdout: &o.stdout, Stderr: r.tee(&o.stderr)}
	if j.cut {
		c.Stdout = &cutter{&o.stdout, func() { clock.cancel(errCut) }}
	}
	if j.listener != nil {
		j.listener.clock = clock
		j.folder.stream.listen(j.listener)
		defer j.folder.stream.stop()
	}
	if j.client != nil {
		client := clock.unhurried(*j.client)
		client.Alive = clock.progress
		channel, err := r.openChannel(running, client, j.shell)
		if err != nil {
			o.err = err
			return o
		}
		defer channel.Close()
		c.Env, c.ExtraFiles = append(c.Env, channel.Env()...), channel.Files()
	}
	if j.shell != nil {
		c.Ahead = j.shell.Standby
		defer c.Ahead.Dismiss()
	}
	o.ended, o.err = r.Runner.Run(running, c)
	if len(o.ended.Left) > 0 {
		if j.folder != nil {
			j.folder.used = true
		}
		r.Log.Warn("processes of a script could not be ended", "script", j.path, "pids", o.ended.Left)
	}
	return o
}

// A cutter keeps the head of an output, and tells when there is more.
type cutter struct {
	*script.Head
	full func()
}

func (c *cutter) Write(b []byte) (int, error) {
	n, err := c.Head.Write(b)
	if c.Truncated() {
		c.full()
	}
	return n, err
}

// printed returns what a script wrote to stdout. One that has failed is an error that tells
// why.
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
	case o.ended.ExitCode != 0:
		return nil, fmt.Errorf("%s failed with exit code %d: %s", j.path, o.ended.ExitCode, o.reason())
	}
	return o.stdout.Bytes(), nil
}

// maxReason is how much of a line of stderr becomes the reason of a failure.
const maxReason = 400

// reason says in a line why the script failed: the last thing it said on
// stderr, else how it ended.
func (o *outcome) reason() string {
	lines := strings.Split(strings.TrimSpace(strings.ToValidUTF8(o.stderr.Text(), "\ufffd")), "\n")
	if last := strings.TrimSpace(lines[len(lines)-1]); last != "" {
		if len(last) > maxReason {
			last = strings.ToValidUTF8(last[:maxReason], "") + "…"
		}
		return last
	}
	if o.ended.Signal != "" {
		return "it was ended by " + o.ended.Signal
	}
	return fmt.Sprintf("exit code %d", o.ended.ExitCode)
}
