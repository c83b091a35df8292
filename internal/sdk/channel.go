package sdk

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

// FirstFD is the first descriptor of the channel's pipes in the tool: far above those that
// scripts use; the system closes the ones below it one by one, so it is not higher.
const FirstFD = 20

const (
	// An answer that is not ready after this time is promised, so that the lock is free again.
	patience = 100 * time.Millisecond
	// A lock is considered lost if its holder does nothing for this time while another helper waits. It is more than a
	// helper needs on a machine with dozens of busy processes: one that is only slow has to repeat its request.
	lockTime = 3 * time.Second
	// How many replies are kept for a helper that could not read its own.
	remembered = 32
	// The longest line that a helper writes; see SDK-PROTOCOL.md.
	maxLine = 4 << 10
)

// A Channel answers the helpers of one tool call.
type Channel struct {
	server *Server
	call   Call
	pipes  *pipes // nil on systems without, and after Free
	ctx    context.Context
	cancel context.CancelCauseFunc
	rest   []byte         // of a request that is not complete
	tasks  sync.WaitGroup // requests in progress

	notUTF8 sync.Once // reports that a helper was given bytes that are not UTF-8
	alone   bool      // no process of the tool was left at the end

	mu         sync.Mutex          // guards what follows
	token      byte                // the valid token
	unanswered int                 // requests whose helpers hold the lock
	last       time.Time           // when a request was received or a reply sent
	working    map[string]*task    // by number
	replies    []sent              // the last ones
	serial     int                 // of the last file
	result     string              // the last that a helper built
	fault      string              // the last of them that is an error
	place      Place               // of the command that has ended the tool
	files      map[string]*os.File // in Dir, not yet read by a helper; nil for a plain file
	fifos      int                 // in files
	beating    bool                // beat is running
	longest    int                 // characters of the longest reply with a length
	closed     bool
}

// sent is a reply that was sent.
type sent struct {
	number string
	line   []byte
}

// Open returns a channel for a call. It works until [Channel.End], or until ctx ends:
// then helpers that wait get an error.
func (s *Server) Open(ctx context.Context, call Call) (*Channel, error) {
	p := s.spare.take()
	if p == nil {
		var err error
		if p, err = newPipes(); err != nil {
			return nil, err
		}
	}
	c := &Channel{server: s, call: call, pipes: p, token: 'a'}
	c.ctx, c.cancel = context.WithCancelCause(ctx)
	if p != nil {
		p.unlock(c.token)
	}
	return c, nil
}

// Files returns the open files that the tool must inherit, from descriptor 3 on. For nil
// the descriptor stays closed.
func (c *Channel) Files() []*os.File {
	if c.pipes == nil {
		return nil
	}
	files := make([]*os.File, FirstFD-3, FirstFD-3+len(c.pipes.files))
	return append(files, c.pipes.files[:]...)
}

// Env returns the variables by which the tool finds the channel.
func (c *Channel) Env() []string {
	if c.pipes == nil {
		return nil
	}
	env := []string{"MCP_CHANNEL=1:" + strconv.Itoa(FirstFD) + ":" + c.call.Dir}
	if known := known(c.call.Args); known != "" {
		env = append(env, "MCP_TOOL_ARGS_SHELL="+known)
	}
	return env
}

// End ends the channel, and with it the requests in progress. Call it when the tool has ended; alone means that no
// process of the tool is left that could use the pipes. When it returns, none of the funcs of the Call is running any
// more.
func (c *Channel) End(alone bool) {
	c.cancel(errEnded)
	if c.pipes == nil {
		return
	}
	c.mu.Lock()
	c.closed, c.alone = true, alone
	if !alone {
		c.pipes.unlock(closedToken)
	}
	c.mu.Unlock()
	if !alone {
		c.pipes.requests.Close()
	}
	c.tasks.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	for name := range c.files {
		c.forget(name)
	}
}

// Free gives up the pipes of a channel that has ended: another channel gets them if the tool was alone, else they are
// closed. A second call does nothing: by then the descriptors may have been reused.
func (c *Channel) Free() {
	p := c.pipes
	c.pipes = nil
	if p != nil && !(c.alone && p.restore(c.token) && c.server.spare.put(p)) {
		p.close()
	}
}

// Results returns the CallToolResults that helpers built and that may be that of the call: the last error,
// which counts even if the tool continued after it, then the last of all. The tool need not have printed
// them.
func (c *Channel) Results() (made []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, result := range []string{c.fault, c.result} {
		if result != "" {
			made = append(made, result)
		}
	}
	return made
}

// built remembers a result that a helper built. c.mu is held.
func (c *Channel) built(result string) {
	c.result = result
	if o, ok := parseObject(json.Value(result)); ok && o.get("isError").Kind() == 't' {
		c.fault = result
	}
}

// Place returns the place of the command that ended the tool, if the tool reported it; see [Place].
func (c *Channel) Place() Place {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.place
}

// errEnded is the cause of the cancelled context of requests when the channel is closed.
var errEnded = errors.New("the call has ended")

// closedToken is the token that means that the channel is closed.
const closedToken = 'x'

// Requests returns the pipe of the requests, nil on systems without. The caller must pass everything that it reads
// from there to [Channel.Write].
func (c *Channel) Requests() *os.File {
	if c.pipes == nil {
		return nil
	}
	return c.pipes.requests
}

// Write handles requests, in pieces of any size. It never fails.
func (c *Channel) Write(b []byte) (int, error) {
	n := len(b)
	for {
		end := bytes.IndexByte(b, '\n') + 1
		if end == 0 {
			break
		}
		if quick := c.take(string(c.rest) + string(b[:end])); quick != nil {
			quick.run()
		}
		c.rest, b = c.rest[:0], b[end:]
	}
	if c.rest = append(c.rest, b...); len(c.rest) >= maxLine {
		c.rest = c.rest[:0] // no helper writes such a line; the rest of it is ignored too
	}
	return n, nil
}

// take handles one line: \0 FIELD \0 FIELD ... \0 \n. Lines that no helper writes are ignored. A
// task that it returns is quick: passing it to another goroutine would take longer than running
// it.
func (c *Channel) take(line string) (quick *task) {
	line, ok := strings.CutSuffix(line, "\x00\n")
	fields := strings.Split(line, "\x00")
	if !ok || len(fields) < 2 || fields[0] != "" {
		return nil
	}
	fields = fields[1:]
	token, sized := strings.CutSuffix(fields[0], "#")
	c.mu.Lock()
	defer c.mu.Unlock()
	if sized {
		c.longest = maxSized + 64
	}
	repeated := len(fields) > 3 && fields[2] == "="
	if repeated {
		fields = slices.Delete(fields, 2, 3)
	}
	switch {
	case c.closed:
	case fields[0] == "?" && len(fields) == 1:
		c.restoreLock()
	case fields[0] == "-" && len(fields) == 2:
		c.forget(fields[1])
	case fields[0] == "place" && len(fields) == 6:
		c.place = placeOf(fields[1:])
	case len(fields) < 3 || !isNumber(fields[1]):
	case fields[0] == "^":
		return c.beginAside(fields[1], fields[2:])
	case token != string(c.token):
		c.pipes.reply(format(sized).encode(fields[1], reply{kind: 'v', how: '-'}))
	case fields[2] == "!", repeated && c.knows(fields[1]):
		c.resend(fields[1], format(sized))
	default:
		return c.begin(fields[1], format(sized), fields[2:])
	}
	return nil
}

// isNumber reports whether s can be the number of a request: only digits and dots, since
// it becomes part of a file name.
func isNumber(s string) bool {
	return s != "" && len(s) <= 40 && strings.Trim(s, "0123456789.") == ""
}

// restoreLock puts a new token into the lock, if the old one is lost: its holder was
// killed. If the holder was only stopped, its token is invalid now.
func (c *Channel) restoreLock() {
	if c.unanswered > 0 || time.Since(c.last) < lockTime || c.pipes.free() {
		return
	}
	if c.token++; c.token == closedToken {
		c.token = 'a'
	}
	c.last = time.Now()
	c.pipes.unlock(c.token)
	if !c.beating {
		c.beating = true
		c.tasks.Go(c.beat)
	}
}

// beat writes empty lines, which helpers skip. Two helpers that both hold the lock, because
// one of them was believed dead, can each read a part of one reply and wait for the rest.
// An empty line ends that wait, for replies with a length as many as the longest has characters, and they ask
// again. While others use the channel none is written: their replies end the wait, too, and they would be slowed down.
func (c *Channel) beat() {
	tick := time.NewTicker(lockTime)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			c.mu.Lock()
			if c.unanswered == 0 && time.Since(c.last) >= lockTime && c.pipes.quiet() {
				c.pipes.reply(bytes.Repeat([]byte("\n"), max(1, c.longest)))
			}
			c.mu.Unlock()
		case <-c.ctx.Done():
			return
		}
	}
}

// begin starts handling a request. Its helper holds the lock until it has a reply.
func (c *Channel) begin(number string, f format, args []string) (quick *task) {
	t := &task{channel: c, number: number, format: f, args: args}
	c.unanswered++
	c.last = time.Now()
	if !operationOf(args[0]).quick {
		t.patience = time.AfterFunc(cmp.Or(c.server.patience, patience), t.promise)
	}
	return c.work(t)
}

// beginAside is begin for a helper without the lock, which reads the answer from a FIFO of its own. If it
// has asked before, its read was interrupted, and it may have lost the answer or a part of it.
func (c *Channel) beginAside(number string, args []string) (quick *task) {
	name := "sdk." + number + ".fifo"
	if args[0] == "!" {
		if f, line := c.files[name], c.sentTo(number); f != nil && line != nil {
			answerThrough(f, line)
		}
		return nil
	}
	fifo, err := c.makeFIFO(name)
	if err != nil {
		c.server.log().Debug("a helper in a trap cannot be answered", "error", err)
		return nil
	}
	return c.work(&task{channel: c, number: number, format: asLine, args: args, fifo: fifo})
}

// work starts a task, or returns it if it is quick.
func (c *Channel) work(t *task) (quick *task) {
	if c.working == nil {
		c.working = make(map[string]*task)
	}
	c.working[t.number] = t
	if operationOf(t.args[0]).quick {
		return t
	}
	c.tasks.Go(t.run)
	return nil
}

func (c *Channel) knows(number string) bool {
	return c.working[number] != nil || c.sentTo(number) != nil
}

// sentTo returns the last reply to a request, nil if it is not kept.
func (c *Channel) sentTo(number string) []byte {
	for _, s := range c.replies {
		if s.number == number {
			return s.line
		}
	}
	return nil
}

// resend sends a reply again to a helper that has not read it: another helper took it from
// the pipe, or a signal interrupted the read.
func (c *Channel) resend(number string, f format) {
	line := c.sentTo(number)
	if t := c.working[number]; line == nil && t != nil {
		if line = t.promised; line == nil {
			return // it gets its reply when that is ready
		}
	}
	if line == nil {
		line = f.encode(number, reply{failing, '-', 1, "the request was lost; try again"})
	}
	c.pipes.reply(line)
}

// reply sends a reply and keeps it for a while.
func (c *Channel) reply(number string, line []byte) {
	c.remember(number, line)
	c.pipes.reply(line)
}

func (c *Channel) remember(number string, line []byte) {
	c.replies = slices.DeleteFunc(c.replies, func(s sent) bool { return s.number == number })
	c.replies = append(c.replies[max(0, len(c.replies)-remembered+1):], sent{number, line})
}

// name returns a name in Dir that was not used before.
func (c *Channel) name(suffix string) string {
	c.serial++
	return "sdk." + strconv.Itoa(c.serial) + "." + suffix
}

// maxFIFOs is how many FIFOs a channel keeps open. Helpers need one each while they wait.
const maxFIFOs = 100

// makeFIFO makes a FIFO for an answer.
func (c *Channel) makeFIFO(name string) (*os.File, error) {
	if c.fifos >= maxFIFOs {
		return nil, errors.New("too many helpers wait at once")
	}
	f, err := makeFIFO(c.path(name))
	if err == nil {
		c.keep(name, f)
		c.fifos++
	}
	return f, err
}

// keep remembers a file until a helper has read it.
func (c *Channel) keep(name string, f *os.File) {
	if c.files == nil {
		c.files = make(map[string]*os.File)
	}
	c.files[name] = f
}

// forget removes a file that is not needed any more.
func (c *Channel) forget(name string) {
	f, ok := c.files[name]
	if !ok && name != trapsFile {
		return
	}
	if f != nil {
		f.Close()
		c.fifos--
	}
	delete(c.files, name)
	os.Remove(c.path(name))
}

// trapsFile is a temporary file of the shell SDK, which writes to it to find its tool's traps without a fork.
const trapsFile = "sdk.traps"

func (c *Channel) path(name string) string { return filepath.Join(c.call.Dir, name) }

// payload reads the fields of a request that were too long for a line.
func (c *Channel) payload(number string) ([]string, error) {
	path := c.path("sdk." + number)
	defer os.Remove(path)
	b, err := files.ReadUnlinked(path, maxPayload)
	if err != nil {
		return nil, err
	}
	return strings.Split(strings.TrimSuffix(string(b), "\x00"), "\x00"), nil
}

// maxPayload is the most bytes of arguments for one helper.
const maxPayload = 64 << 20
