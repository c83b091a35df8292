package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/matryer/is"
)

func TestAToolThatIsEditedOftenKeepsOneSchema(t *testing.T) {
	is := is.New(t)
	var s Schemas
	for i := range 1000 {
		text := fmt.Sprintf(`{"type":"object","required":["a%d"]}`, i)
		is.True(strings.Contains(s.faults(t.Context(), slot{tool: "edited"}, []byte(text), []byte(`{}`)), fmt.Sprint("a", i))) // the new one holds
	}
	s.faults(t.Context(), slot{tool: "edited", output: true}, []byte(`true`), []byte(`{}`))
	is.Equal(len(s.kept), 2) // what goes in, and what comes out
}

func TestASchemaIsCompiledOnce(t *testing.T) {
	is := is.New(t)
	var s Schemas
	text := []byte(`{"type":"object"}`)
	first, err := s.compile(slot{tool: "a"}, text)
	is.NoErr(err)
	again, err := s.compile(slot{tool: "a"}, text)
	is.NoErr(err)
	is.True(first == again)
}

func TestToolsThatComeAndGoDoNotFillTheMemory(t *testing.T) {
	is := is.New(t)
	var s Schemas
	for i := range 2 * maxKept {
		s.faults(t.Context(), slot{tool: fmt.Sprint(i)}, []byte(`true`), []byte(`{}`))
	}
	is.True(len(s.kept) <= maxKept)
}

func TestSessionsShareSchemas(t *testing.T) {
	is := is.New(t)
	var s Schemas
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for j := range 50 {
				s.faults(t.Context(), slot{tool: fmt.Sprint(j % 3)}, fmt.Appendf(nil, `{"minProperties":%d}`, i%2), []byte(`{}`))
			}
		})
	}
	all.Wait()
	is.Equal(len(s.kept), 3)
}

// endless takes longer to be held against its schema than anybody waits.
func endless(t *testing.T, r *Runtime) Call {
	tool := newTool(t, r, "#!/bin/sh\necho '{\"a\":1}'")
	tool.InputSchema = []byte(`{"type":"object","properties":{"a":{"pattern":"(x?){1000}y"}}}`)
	var h heard
	c := h.call(tool)
	c.Args = []byte(`{"a":"` + strings.Repeat("x", 3_000_000) + `"}`)
	return c
}

func TestTheCheckOfArgumentsEndsWithTheTimeOfItsTool(t *testing.T) {
	is := is.New(t)
	r := newRuntime(t)
	c := endless(t, r)
	limit := 10 * time.Millisecond
	c.Timeout = &limit
	result, err := r.Call(t.Context(), c)
	is.NoErr(err)
	is.True(result.IsError)
	text, err := json.Marshal(result.Content)
	is.NoErr(err)
	is.True(strings.Contains(string(text), "Invalid arguments for tool probe:\\nnot validated: Tool timed out after 0.01s"))
}

func TestTheCheckOfArgumentsEndsWithItsCall(t *testing.T) {
	is := is.New(t)
	r := newRuntime(t)
	gone := errors.New("cancelled by the client")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(gone)
	_, err := r.Call(ctx, endless(t, r))
	is.Equal(err, gone)
}

func TestTheCheckOfAResultEndsWithItsCall(t *testing.T) {
	is := is.New(t)
	r := newRuntime(t)
	c := endless(t, r)
	c.Tool.OutputSchema = c.Tool.InputSchema
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("cancelled by the client"))
	is.True(strings.Contains(r.checkOutput(ctx, c, c.Args), "not validated: cancelled by the client"))
}
