package backend_test

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/backend"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// A lister is a server with tools on two pages, or without tools if schema is empty.
type lister struct {
	schema string
	ttl    string // in milliseconds
	asked  int    // how often for the first page
	opened int
	full   bool
	mute   bool
	slow   time.Duration // until it lists a page
}

func (l *lister) Open(_ string, receive backend.Receiver) (backend.Conn, error) {
	if l.full {
		return nil, backend.ErrPoolFull
	}
	l.opened++
	return &listing{lister: l, receive: receive, done: make(chan struct{})}, nil
}

type listing struct {
	*lister
	receive backend.Receiver
	done    chan struct{}
	once    sync.Once
}

func (c *listing) Send(_ context.Context, line []byte) error {
	m := pipeline.Parse(line)
	var version string
	_ = json.Unmarshal(pipeline.Member(pipeline.Member(m.Params(), "_meta"), "io.modelcontextprotocol/protocolVersion"), &version)
	result := `{"tools":[{"name":"other","inputSchema":{}}],"ttlMs":60000}`
	if len(pipeline.Member(m.Params(), "cursor")) == 0 {
		c.asked++
		result = `{"tools":[{"name":"tool","inputSchema":` + c.schema + `}],"nextCursor":"2","ttlMs":` + c.ttl + `}`
	}
	switch {
	case c.mute:
	case c.schema == "" || m.Method() != "tools/list" || version != "2026-07-28":
		go c.receive(m.Refuse(pipeline.ErrMethodNotFound).Line(), "")
	default:
		go func() {
			<-time.After(c.slow)
			c.receive([]byte(`{"jsonrpc":"2.0","method":"notifications/message"}`), "")
			c.receive([]byte(`{"jsonrpc":"2.0","id":`+m.ID().String()+`,"result":`+result+`}`), "")
		}()
	}
	return nil
}

func (c *listing) Close()                { c.once.Do(func() { close(c.done) }) }
func (c *listing) Done() <-chan struct{} { return c.done }
func (c *listing) Err() error            { return backend.ErrEnded }

// schema returns the schema of a tool, or the text of the error.
func schema(t *testing.T, s *backend.Schemas, tool string) string {
	t.Helper()
	text, err := s.Schema(t.Context(), tool)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

func TestAProgramIsAskedForItsSchemasUntilTheyAreKnownAndAgainWhenTheyAreNotFresh(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		l := &lister{schema: `{"a":1}`, ttl: "20000"}
		s := &backend.Schemas{Opener: l}
		for range 3 {
			is.Equal(schema(t, s, "tool"), `{"a":1}`)
			is.Equal(schema(t, s, "other"), `{}`) // of the second page
			is.Equal(schema(t, s, "none"), "")
		}
		is.Equal(l.asked, 1)
		l.schema, l.ttl = `{"a":2}`, "0"
		<-time.After(20 * time.Second)
		is.Equal(schema(t, s, "tool"), `{"a":2}`)
		is.Equal(schema(t, s, "tool"), `{"a":2}`)
		is.Equal(l.asked, 2) // a burst of calls asks once
	})
}

func TestAProgramThatHasNoListOfToolsIsNotAskedWithEachCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		l := &lister{}
		s := &backend.Schemas{Opener: l}
		for range 10 {
			is.Equal(schema(t, s, "tool"), "")
		}
		is.Equal(l.opened, 1)
		l.schema, l.ttl = `{}`, "0"
		<-time.After(time.Minute)
		is.Equal(schema(t, s, "tool"), `{}`)
	})
}

func TestWhileAProgramDoesNotListItsToolsItsLastListCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		l := &lister{schema: `{"a":1}`, ttl: "0"}
		s := &backend.Schemas{Opener: l}
		is.Equal(schema(t, s, "tool"), `{"a":1}`)
		l.mute = true
		<-time.After(time.Minute)
		began := time.Now()
		for range 10 {
			is.Equal(schema(t, s, "tool"), `{"a":1}`)
		}
		is.Equal(time.Since(began), 10*time.Second) // once
	})
}

func TestWithoutAListNoCallPassesUnchecked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		l := &lister{schema: `{}`, ttl: "0", mute: true}
		s := &backend.Schemas{Opener: l}
		for range 2 {
			is.Equal(schema(t, s, "tool"), "the headers cannot be checked, as the server does not list its tools: context deadline exceeded")
		}
		l.full = true
		_, err := s.Schema(t.Context(), "tool")
		is.True(errors.Is(err, backend.ErrPoolFull))
		l.mute, l.full = false, false
		is.Equal(schema(t, s, "tool"), `{}`) // as soon as there is one
	})
}

func TestACallThatIsCancelledLeavesTheListToTheOthersThatWaitForIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		l := &lister{schema: `{}`, ttl: "0", slow: 4 * time.Second}
		s := &backend.Schemas{Opener: l}
		ctx, cancel := context.WithCancel(t.Context())
		first := make(chan error)
		go func() {
			_, err := s.Schema(ctx, "tool")
			first <- err
		}()
		synctest.Wait()
		second := make(chan string)
		go func() { second <- schema(t, s, "tool") }()
		synctest.Wait()
		began := time.Now()
		cancel()
		is.Equal(<-first, context.Canceled)
		is.Equal(time.Since(began), time.Duration(0)) // it did not wait
		is.Equal(<-second, `{}`)
		is.Equal(l.asked, 1)
	})
}

func TestWhileAllServersAreBusyWhatIsKnownCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		l := &lister{schema: `{}`, ttl: "0"}
		s := &backend.Schemas{Opener: l}
		is.Equal(schema(t, s, "tool"), `{}`)
		<-time.After(time.Second)
		l.full = true
		is.Equal(schema(t, s, "tool"), `{}`)
		l.full, l.schema = false, `{"a":1}`
		is.Equal(schema(t, s, "tool"), `{"a":1}`) // and the next call asks
	})
}
