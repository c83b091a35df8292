package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"syscall"

	"github.com/mcp-bash/mcp-bash/v2/internal/budget"
	"github.com/mcp-bash/mcp-bash/v2/internal/cage"
	"github.com/mcp-bash/mcp-bash/v2/internal/script"
	"github.com/mcp-bash/mcp-bash/v2/internal/sdk"
)

// A job is one run of a script, whatever it is for.
type job struct {
	path, dir string // dir is the project's if empty
	args, env []string
	stdin     *os.File      // nil: it reads nothing
	limits    script.Limits // that it asks for
	times     times
	output    int  // bytes of stdout that are kept; 0: as the limits say
	cut       bool // the script is ended when it writes more

	folder   *folder     // told of its end, and where the files of its channel lie; nil for none
	client   *sdk.Call   // what its channel answers from; nil: it has none
	shell    *shell      // was started ahead for it; nil: none was
	listener *listener   // hears what it tells while it works; nil: nobody does
	cage     *cage.Rules // what it may reach; nil: everything

	later func(func()) // takes work that can wait for the answer; nil: nothing waits
}

// An outcome is what a script left.
type outcome struct {
	stdout script.Head
	stderr script.Tail
	ended  script.Result
	made   string    // the result that a helper of the SDK has made last; empty for none
	place  sdk.Place // where a command of it failed; see failedAt
	err    error     // of the run: not started, ended by the clock, or for its output, or with its context
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
	c := script.Command{Path: j.path, Args: j.args, Dir: or(j.dir, r.Root), Env: j.env, Limits: j.limits, Stderr: r.tee(&o.stderr)}
	if j.stdin != nil {
		c.Stdin = j.stdin
	}
	if j.cage != nil {
		c.Confine = j.cage.Run
	}
	held := &metered{Head: &o.stdout, wait: func() { r.reserve(running, clock, o.stdout.Limit) }}
	c.Stdout = held
	if j.cut {
		c.Stdout = &cutter{held, func() { clock.cancel(errCut) }}
	}
	defer func() { held.keep(budget.Of(ctx)) }()
	if j.listener != nil {
		j.listener.clock = clock
		c.Copies = j.folder.stream.listen(j.listener)
		defer j.folder.stream.stop()
	}
	if j.client != nil && r.hasChannels() {
		client := clock.pausedWhileAsking(*j.client)
		client.Alive, client.ReadByCaller = clock.progress, true
		channel, err := r.openChannel(running, client, j.shell)
		if err != nil {
			o.err = orScarce(j.path, err)
			if errors.Is(err, syscall.EMFILE) {
				r.noRoom()
			}
			return o
		}
		defer func() {
			channel.End()
			if j.later == nil {
				channel.Free()
				return
			}
			j.later(func() {
				channel.Free()
				r.SDK.Prepare()
			})
		}()
		defer func() { o.made, o.place = channel.Result(), channel.Place() }()
		c.Env, c.ExtraFiles = append(c.Env, channel.Env()...), channel.Files()
		if from, ok := channel.Requests(); ok {
			c.Copies = append(c.Copies, script.Copy{From: from, To: channel})
		}
	}
	if j.shell != nil {
		c.Ahead = j.shell.Standby
		defer c.Ahead.Dismiss()
	}
	o.ended, o.err = r.Runner.Run(running, c)
	if errors.Is(o.err, syscall.EMFILE) {
		r.noRoom()
	}
	if len(o.ended.Left) > 0 {
		if j.folder != nil {
			j.folder.used = true
		}
		r.Log.Warn("processes of a script could not be ended", "script", j.path, "pids", o.ended.Left)
	}
	return o
}

// hasChannels reports whether the server may have descriptors with the numbers that a channel
// has in its tool. Without one, a tool works as on Windows.
func (r *Runtime) hasChannels() bool {
	r.channels.once.Do(func() {
		limit := script.OpenFiles()
		if r.channels.off = limit < leastForChannels; r.channels.off {
			r.Log.Warn("too few files may be open for tools to ask their client; raise the limit (ulimit -n)", "limit", limit, "needed", leastForChannels)
		}
	})
	return !r.channels.off
}

// leastForChannels leaves room for Go, which moves descriptors up while it starts a tool.
const leastForChannels = sdk.FirstFD + 16

// orScarce is err, or in its place what is missing where the machine has no room.
func orScarce(path string, err error) error {
	if e := script.Scarce(path, err); e != nil {
		return e
	}
	return err
}

// A cutter keeps the head of an output, and tells when there is more.
type cutter struct {
	*metered
	full func()
}

func (c *cutter) Write(b []byte) (int, error) {
	n, err := c.metered.Write(b)
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
	case o.overLimit() != nil:
		return nil, fmt.Errorf("%s %w", j.path, o.overLimit())
	case o.ended.ExitCode != 0:
		return nil, fmt.Errorf("%s failed with exit code %d: %s", j.path, o.ended.ExitCode, o.reason())
	}
	return o.stdout.Bytes(), nil
}

// maxReason is how much of a line of stderr becomes the reason of a failure.
const maxReason = 400

// failedAt returns the place of the command for which the script has failed, if it is known. What a script
// that it started has reported does not count where the script itself ended in another way.
func (o *outcome) failedAt() (p sdk.Place, ok bool) {
	return o.place, o.place.Line > 0 && o.place.Code == o.ended.ExitCode && o.ended.Signal == ""
}

// reason says in a line why the script failed: the last thing it said on
// stderr, else how it ended; and where.
func (o *outcome) reason() string {
	why := o.why()
	p, ok := o.failedAt()
	if !ok || shellNames(why) {
		return why
	}
	return why + " (" + p.String() + ")"
}

// shellNames reports whether a line of stderr is one of the shell's, as in "tool.sh: line 5: x: unbound variable".
var shellNames = regexp.MustCompile(`^\S.*: line [0-9]+: `).MatchString

func (o *outcome) why() string {
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
