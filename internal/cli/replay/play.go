package replay

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Stream is a connection to a server: Write writes to the server's input, Read reads
// its output.
type Stream interface {
	io.ReadWriteCloser
	// CloseWrite ends the server's input.
	CloseWrite() error
}

// Options describe how to play.
type Options struct {
	// Project is the folder that is served now. It counts as equal to the recorded
	// one.
	Project string
	// Wait is how long the server may be silent where it wrote something in the
	// recording. 0: 10 s.
	Wait time.Duration
	// Ignore are methods of notifications that are not compared.
	Ignore []string
}

// An Outcome is what the server wrote.
type Outcome struct {
	// Written has the server's lines for each block of the conversation, in the
	// recorded order where they were recorded, and what came after the end of the
	// input as a further one.
	Written [][]string
	// Differences are empty if the server wrote what was recorded.
	Differences []Difference

	project string
}

// Play plays the client's part and returns what the server wrote. It closes the
// stream.
func (c *Conversation) Play(stream Stream, o Options) (*Outcome, error) {
	if o.Wait <= 0 {
		o.Wait = 10 * time.Second
	}
	p := &player{
		conversation: c,
		stream:       stream,
		options:      o,
		lines:        make(chan string, 64),
		answered:     map[string]bool{},
		same:         normalizer{folders: []string{c.Project, o.Project}, calls: map[string]string{}},
		outcome:      Outcome{project: o.Project},
	}
	go p.read()
	err := p.play()
	closed := stream.Close()
	for range p.lines { // the reader ends with the stream
	}
	return &p.outcome, errors.Join(err, closed)
}

type player struct {
	conversation *Conversation
	stream       Stream
	options      Options
	lines        chan string     // closed at the end of the output
	over         bool            // the output has ended
	came         []string        // what has been read and does not belong to a block yet
	sent         []string        // what the client has said
	answered     map[string]bool // by the slots of the answers
	same         normalizer
	outcome      Outcome
}

func (p *player) read() {
	defer close(p.lines)
	r := bufio.NewReaderSize(p.stream, 64<<10)
	for {
		line, err := r.ReadString('\n')
		if line = strings.TrimRight(line, "\r\n"); line != "" {
			p.lines <- line
		}
		if err != nil {
			return
		}
	}
}

func (p *player) play() error {
	c := p.conversation
	client := c.clientBlocks()
	for i, b := range c.Blocks[:client] {
		if err := p.send(b.Client); err != nil {
			return err
		}
		p.await(b)
		p.close(i, b)
	}
	if err := p.stream.CloseWrite(); err != nil {
		return err
	}
	for !p.over && p.next(p.options.Wait) {
	}
	var rest Block
	for _, b := range c.Blocks[client:] {
		rest.Server = append(rest.Server, b.Server...)
	}
	if !p.over {
		p.outcome.Differences = append(p.outcome.Differences,
			Difference{Block: client + 1, Text: "the server has not ended after its input did\n"})
	}
	p.close(client, rest)
	return nil
}

func (p *player) send(lines []string) error {
	for _, line := range lines {
		for _, id := range called([]string{line}) {
			p.same.calls["answer "+id] = line
		}
		p.sent = append(p.sent, line)
		if _, err := io.WriteString(p.stream, p.same.outgoing(line)+"\n"); err != nil {
			if p.drain(); p.over {
				return nil // what is missing is reported
			}
			return fmt.Errorf("the server reads no more: %w", err)
		}
	}
	return nil
}

// drain reads to the end of the output, or until the server is silent.
func (p *player) drain() {
	for p.next(p.options.Wait) {
	}
}

// quiet is the id of a ping whose response follows the immediate output for a block.
const quiet = "mcp-bash replay: quiet?"

// await waits for what the server wrote in the recording. If that is not known, it
// waits for the responses to all calls, or until the server sends a request, which
// the next block may answer; then also for those to earlier calls. In blocks that
// were written by hand, the response to a ping follows the immediate output.
func (p *player) await(b Block) {
	open := map[string]int{}
	for _, line := range b.Server {
		if s := slotOf(line); !p.ignored(s) {
			open[s]++
		}
	}
	known := len(open) > 0 || p.conversation.kind == recording
	if !known {
		for _, id := range called(b.Client) {
			open["answer "+id]++
		}
		if slices.ContainsFunc(b.Client, answers) {
			for _, id := range called(p.sent) {
				if slot := "answer " + id; !p.answered[slot] {
					open[slot] = 1
				}
			}
		}
	}
	ping := "answer " + strconv.Quote(quiet)
	if p.conversation.kind != recording {
		if _, err := io.WriteString(p.stream,
			`{"jsonrpc":"2.0","id":`+strconv.Quote(quiet)+`,"method":"ping"}`+"\n"); err == nil {
			open[ping]++
		}
	}
	for _, line := range p.came {
		tick(open, slotOf(line))
	}
	for len(open) > 0 && p.next(p.options.Wait) {
		slot := slotOf(p.came[len(p.came)-1])
		tick(open, slot)
		if !known && strings.HasPrefix(slot, "call ") && open[ping] == 0 {
			break
		}
	}
	p.came = slices.DeleteFunc(p.came, func(line string) bool { return slotOf(line) == ping })
}

func tick(open map[string]int, slot string) {
	if open[slot]--; open[slot] <= 0 {
		delete(open, slot)
	}
}

// next reads a line and reports whether it came in time.
func (p *player) next(wait time.Duration) bool {
	if p.over {
		return false
	}
	timeout := time.NewTimer(wait)
	defer timeout.Stop()
	select {
	case line, ok := <-p.lines:
		if !ok {
			p.over = true
			return false
		}
		p.came = append(p.came, line)
		p.answered[slotOf(line)] = true
		return true
	case <-timeout.C:
		return false
	}
}

// close compares the output with a block. Lines that match none of the block's lines
// are kept for the next block, if they may match one that was recorded later.
func (p *player) close(i int, b Block) {
	expected := slices.DeleteFunc(slices.Clone(b.Server), func(line string) bool { return p.ignored(slotOf(line)) })
	p.came = slices.DeleteFunc(p.came, func(line string) bool { return p.ignored(slotOf(line)) })
	last := i >= p.conversation.clientBlocks()
	matched, rest := p.same.match(expected, p.came)
	p.came = nil
	written := make([]string, 0, len(matched))
	for _, m := range matched {
		if m.got != "" {
			written = append(written, m.got)
		}
	}
	var extra []string
	for _, line := range rest {
		if !last && (p.conversation.kind == recording || p.expectsAfter(i, line)) {
			p.came = append(p.came, line) // the server is faster than it was then
		} else {
			extra = append(extra, line)
		}
	}
	written = append(written, extra...)
	p.outcome.Written = append(p.outcome.Written, written)
	if p.conversation.kind == plain {
		return
	}
	if d := p.same.difference(i, b, matched, extra); d.Text != "" {
		p.outcome.Differences = append(p.outcome.Differences, d)
	}
}

// expectsAfter reports whether a line may match one that was recorded after block i.
func (p *player) expectsAfter(i int, line string) bool {
	slot := slotOf(line)
	for _, b := range p.conversation.Blocks[i+1:] {
		if slices.ContainsFunc(b.Server, func(line string) bool { return slotOf(line) == slot }) {
			return true
		}
	}
	return false
}

func (p *player) ignored(slot string) bool {
	method, isNotification := strings.CutPrefix(slot, "notification ")
	return isNotification && slices.Contains(p.options.Ignore, method)
}

// envelope has the fields of a line that relate a response to its request.
type envelope struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		RequestID json.RawMessage `json:"requestId"`
	} `json:"params"`
}

// slotOf returns the kind of a line: the response to which call, or a call or
// notification of which method.
func slotOf(line string) string {
	var e envelope
	switch err := json.Unmarshal([]byte(line), &e); {
	case err != nil:
		return "text"
	case e.Method == "":
		return "answer " + string(e.ID)
	case e.ID != nil:
		return "call " + e.Method
	}
	return "notification " + e.Method
}

// answers reports whether a line of the client answers the server.
func answers(line string) bool { return strings.HasPrefix(slotOf(line), "answer ") }

// called returns the ids of the calls that will be answered.
func called(lines []string) (ids []string) {
	for _, line := range lines {
		for _, e := range envelopes(line) {
			switch {
			case e.Method == "notifications/cancelled":
				ids = slices.DeleteFunc(ids, func(id string) bool { return id == string(e.Params.RequestID) })
			case e.Method != "" && e.Method != "subscriptions/listen" && len(e.ID) > 0 &&
				(e.ID[0] == '"' || e.ID[0] == '-' || e.ID[0] >= '0' && e.ID[0] <= '9'):
				ids = append(ids, string(e.ID))
			}
		}
	}
	return ids
}

// envelopes returns that of a message, those of a batch, or nil for any other line.
func envelopes(line string) []envelope {
	text := bytes.Trim([]byte(line), "\ufeff \t\r")
	several := []envelope{}
	if json.Unmarshal(text, &several) == nil {
		return several
	}
	var one envelope
	if json.Unmarshal(text, &one) != nil {
		return nil
	}
	return []envelope{one}
}
