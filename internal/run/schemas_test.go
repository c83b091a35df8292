package run

import (
	"fmt"
	"strings"
	"sync"
	"testing"

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
