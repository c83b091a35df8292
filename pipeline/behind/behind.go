// Package behind puts a server that somebody else wrote behind a pipeline: the pipeline's client speaks
// with that server, and every message between them, both ways, passes the stages. What passes keeps its
// bytes, and the order in which each side wrote it. A whole relay:
//
//	server := behind.New(pipeline.NewNDJSON(stdout, stdin, 0), behind.Options{Dialect: pipeline.MCP})
//	chain := append(stages, server.Stage())
//	p := pipeline.New(pipeline.NewNDJSON(os.Stdin, os.Stdout, 0), chain, server.Handle, pipeline.Options{
//		CallIDs: "relay-",
//		BeforeClose: func(context.Context) {
//			stdin.Close()
//			<-server.Gone()
//		},
//	})
//	go func() {
//		defer p.Finish()
//		server.Run(ctx, p)
//	}()
//	err := p.Run(ctx)
package behind

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// ErrGone is the error for a call whose server has ended.
var ErrGone = errors.New("the server has ended")

// Options are the settings of a [Server]. The zero value works for plain JSON-RPC.
type Options struct {
	// Dialect is that of the stream: which notification cancels a call, and which is about its progress.
	Dialect pipeline.Dialect
	// Gone returns why the server has ended, for the calls that it leaves behind. err is that of the last
	// read, io.EOF most often. Nil: the error is ErrGone.
	Gone func(err error) error
	// Log takes what cannot be reported to either side. Nil is slog.Default.
	Log *slog.Logger
}

// A Server is the server behind a pipeline. Its methods may be called from several goroutines, Run once.
type Server struct {
	stream jsonrpc2.ObjectStream
	o      Options
	pen    chan struct{} // has a value while somebody writes to the server; those who wait do so in order

	mu     sync.Mutex
	calls  map[string]*call       // of the client, by the key of their ids
	tokens map[string]*call       // of those calls, by the key of their tokens; nil for calls that were given up
	given  []string               // the keys of the latter, oldest first
	asked  map[string]pipeline.ID // calls of the server that the client has not answered, by the key of their ids

	gone chan struct{} // closed when the server has ended
	why  error         // written before, with mu held
}

// A call is one of the client that the server has not answered.
type call struct {
	ctx    context.Context
	tokens []pipeline.ID
	answer *pipeline.Promise
}

// New returns the server on the other end of stream, which is as described at [pipeline.New].
func New(stream jsonrpc2.ObjectStream, o Options) *Server {
	o.Log = cmp.Or(o.Log, slog.Default())
	return &Server{
		stream: stream,
		o:      o,
		pen:    make(chan struct{}, 1),
		calls:  make(map[string]*call),
		tokens: make(map[string]*call),
		asked:  make(map[string]pipeline.ID),
		gone:   make(chan struct{}),
	}
}

// Handle is the handler of the pipeline. It writes a message to the server in its turn, so that the
// server gets messages in the order in which they came, and yields. A call is answered by the server.
// If it ends before that, by a stage such as a time limit, the server is told by a cancellation.
func (s *Server) Handle(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
	answer, err := s.Pass(ctx, m)
	if answer == nil {
		return nil, err
	}
	return answer()
}

// Pass is the first half of [Server.Handle]: it returns when the message is written. What it returns for a call is the
// second, which yields and waits for the answer. ctx may be one of no message, for calls of the program itself.
func (s *Server) Pass(ctx context.Context, m *pipeline.Message) (func() (*pipeline.Message, error), error) {
	if m.Kind() != pipeline.Call {
		return nil, s.write(ctx, m)
	}
	key := m.ID().Key()
	c := &call{ctx: ctx, tokens: s.o.Dialect.TokensOf(m), answer: pipeline.NewPromise(ctx)}
	if err := s.add(m.ID(), c); err != nil {
		return nil, err
	}
	if err := s.write(ctx, m); err != nil {
		s.take(key)
		return nil, err
	}
	return func() (*pipeline.Message, error) { return s.wait(ctx, m.ID(), c) }, nil
}

// wait waits for the answer to a call that was written.
func (s *Server) wait(ctx context.Context, id pipeline.ID, c *call) (*pipeline.Message, error) {
	answer, err := c.answer.Await(ctx)
	if err == nil {
		return answer, nil
	}
	cause := context.Cause(ctx)
	answers := s.o.Dialect.CancelCode != 0 && errors.Is(cause, pipeline.ErrCancelled) // also what was cancelled
	if answers || !s.giveUp(id.Key()) {                                               // or has done so just now
		return c.answer.Await(context.WithoutCancel(ctx))
	}
	if errors.Is(cause, pipeline.ErrClosed) {
		return nil, errors.New("the server did not answer in time, after the end of the input")
	}
	s.abandon(ctx, id, cause)
	return nil, cause
}

// maxGiven is how many calls that were given up are remembered, for the progress that the server still
// reports. maxAsked is how many of its own calls may wait for their answers.
const maxGiven, maxAsked = 1000, 1000

// giveUp ends a call that the server has not answered; it reports false if it has.
func (s *Server) giveUp(key string) bool {
	c := s.take(key)
	if c == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, token := range c.tokens {
		if s.tokens[token.Key()] == nil { // no other call has it
			s.tokens[token.Key()] = nil
			s.given = append(s.given, token.Key())
		}
	}
	for len(s.given) > maxGiven {
		if s.tokens[s.given[0]] == nil {
			delete(s.tokens, s.given[0])
		}
		s.given = s.given[1:]
	}
	return true
}

// abandon tells the server that nobody waits for its answer to a call, unless the client has told it.
func (s *Server) abandon(ctx context.Context, id pipeline.ID, cause error) {
	if errors.Is(cause, pipeline.ErrCancelled) {
		return
	}
	if m, ok := s.o.Dialect.Cancellation(id, cause.Error()); ok {
		if err := s.write(ctx, m); err != nil {
			s.o.Log.Debug("the server was not told that a call has ended", "id", id.String(), "error", err)
		}
	}
}

// Stage returns the innermost stage of the chain: it passes the client's responses on to the server, for
// the calls that the server has made.
func (s *Server) Stage() pipeline.Middleware {
	return pipeline.Middleware{
		Name: "behind",
		Inbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Handler) (*pipeline.Message, error) {
			switch {
			case m.Kind() == pipeline.Response && s.answers(m.ID()):
				return nil, s.write(ctx, m)
			case m.Kind() == pipeline.Malformed && !m.Answerable() && s.answers(m.ID()):
				return nil, s.write(ctx, m.Refuse(m.Fault()))
			}
			return next(ctx, m)
		},
	}
}

// Run reads what the server writes until it ends, and sends it to the client of p: the next message is
// read when the one before has left. Then calls that were not answered end. The error is nil after the
// end of the server's output, and ErrClosed after that of p. Run does not end when ctx does, which is
// the context of what no call causes; close the stream for that.
func (s *Server) Run(ctx context.Context, p *pipeline.Pipeline) error {
	in := p.Behind(s.stream)
	var err error
	for err == nil {
		var m *pipeline.Message
		if m, err = in.Read(); err == nil {
			err = s.pass(ctx, p, readable(m))
		}
	}
	why := ErrGone
	if s.o.Gone != nil {
		why = s.o.Gone(err)
	}
	s.end(why)
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// readable returns m, or the message that clients which replace what is not UTF-8 find in it, without a byte order mark:
// nobody else answers its call.
func readable(m *pipeline.Message) *pipeline.Message {
	if m.Kind() == pipeline.Malformed && m.Fault().Code == jsonrpc2.CodeParseError {
		clean := pipeline.Parse(bytes.ToValidUTF8(bytes.TrimPrefix(m.Line(), []byte("\ufeff")), []byte("\ufffd")))
		if clean.Kind() != pipeline.Malformed {
			return clean
		}
	}
	return m
}

// end ends the calls that the server has not answered.
func (s *Server) end(why error) {
	s.mu.Lock()
	left := slices.Collect(maps.Values(s.calls))
	clear(s.calls)
	s.why = why
	close(s.gone)
	s.mu.Unlock()
	for _, c := range left {
		go c.answer.Settle(nil, why)
	}
}

// Gone returns a channel that is closed when the server has ended and all that it wrote was sent.
func (s *Server) Gone() <-chan struct{} { return s.gone }

// Withdraw cancels the calls of a server that has ended, which the client has not answered: the next server behind p
// may use their ids.
func (s *Server) Withdraw(ctx context.Context, p *pipeline.Pipeline) {
	s.mu.Lock()
	asked := slices.Collect(maps.Values(s.asked))
	clear(s.asked)
	s.mu.Unlock()
	for _, id := range asked {
		if m, ok := s.o.Dialect.Cancellation(id, ErrGone.Error()); ok {
			_ = p.Send(ctx, m) // to a client that has left, as all else
		}
	}
}

// pass sends a message of the server to the client. Only an error after which nothing can be sent is
// returned; others are those of doors.
func (s *Server) pass(ctx context.Context, p *pipeline.Pipeline, m *pipeline.Message) error {
	if m.Kind() == pipeline.Batch {
		for item := range m.Items() {
			if err := s.pass(ctx, p, item); err != nil {
				return err
			}
		}
		return nil
	}
	if m.Kind() == pipeline.Response || m.Kind() == pipeline.Malformed && !m.ID().IsZero() {
		if c := s.take(m.ID().Key()); c != nil {
			if m.Kind() == pipeline.Malformed {
				m = m.Refuse(m.Fault())
			}
			c.answer.Settle(m, nil) // it has left when that returns, or a stage has the same message tried again
			return nil
		}
		if m.Kind() == pipeline.Response && !m.ID().IsZero() {
			s.o.Log.Debug("the server has answered a call that does not run any more", "id", m.ID().String())
			return nil
		}
	}
	if m.Kind() == pipeline.Call && !s.asks(m.ID()) {
		s.refuse(ctx, m, fmt.Errorf("%d calls already wait for the client's answers", maxAsked))
		return nil
	}
	if id, ok := s.o.Dialect.Cancelled(m); ok && s.o.Dialect.CancelCode == 0 {
		s.answers(id) // nobody waits for a late answer, and stages do not know any more what it answers
	}
	ctx, ok := s.context(ctx, m)
	if !ok {
		return nil
	}
	err := p.Send(ctx, m)
	switch {
	case err == nil:
	case errors.Is(err, pipeline.ErrClosed):
		return err
	case m.Kind() == pipeline.Call && s.answers(m.ID()): // a stage did not let it leave
		s.refuse(ctx, m, err)
	default:
		s.o.Log.Debug("a message of the server was dropped", "error", err)
	}
	return nil
}

// refuse answers a call of the server.
func (s *Server) refuse(ctx context.Context, m *pipeline.Message, why error) {
	if err := s.write(ctx, m.Refuse(why)); err != nil {
		s.o.Log.Debug("the server was not told that its call has been refused", "id", m.ID().String(), "error", err)
	}
}

// context returns the context in which a message of the server is sent: of the call that it is about, or
// ctx. It reports false for the progress of a call that was given up.
func (s *Server) context(ctx context.Context, m *pipeline.Message) (context.Context, bool) {
	if token, ok := s.o.Dialect.ProgressOf(m); ok {
		s.mu.Lock()
		defer s.mu.Unlock()
		switch c, known := s.tokens[token.Key()]; {
		case c != nil:
			return c.ctx, true
		case known:
			return nil, false
		}
	}
	return ctx, true
}

// write writes a message to the server, behind those whose turn came before.
func (s *Server) write(ctx context.Context, m *pipeline.Message) error {
	defer pipeline.Waits(ctx)()
	select {
	case s.pen <- struct{}{}:
	case <-s.gone:
		return s.why
	}
	defer func() { <-s.pen }()
	line := json.RawMessage(m.Line())
	err := s.stream.WriteObject(&line)
	if err != nil { // the end of what it writes, which follows, says more
		select {
		case <-s.gone:
			return s.why
		case <-time.After(Patience):
		}
	}
	return err
}

// Patience is how long a message that waits for the server keeps the next one from coming in.
const Patience = 250 * time.Millisecond

// add records a call.
func (s *Server) add(id pipeline.ID, c *call) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.why != nil:
		return s.why
	case s.calls[id.Key()] != nil:
		return pipeline.Errorf(jsonrpc2.CodeInvalidRequest,
			"invalid request: id %v belongs to a call that is still running", id)
	}
	s.calls[id.Key()] = c
	for _, token := range c.tokens {
		s.tokens[token.Key()] = c
	}
	return nil
}

// take ends a call; it returns nil if there is none, or it was taken before.
func (s *Server) take(key string) *call {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.calls[key]
	if c == nil {
		return nil
	}
	delete(s.calls, key)
	for _, token := range c.tokens {
		if s.tokens[token.Key()] == c {
			delete(s.tokens, token.Key())
		}
	}
	return c
}

// asks records a call of the server; it reports false if too many are not answered.
func (s *Server) asks(id pipeline.ID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.asked) >= maxAsked {
		return false
	}
	s.asked[id.Key()] = id
	return true
}

// answers reports whether an id is that of a call of the server, for the first who asks.
func (s *Server) answers(id pipeline.ID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, asked := s.asked[id.Key()]
	delete(s.asked, id.Key())
	return asked
}
