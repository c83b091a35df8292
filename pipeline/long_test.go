package pipeline_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/pipeline/pipetest"
)

func TestACallThatIsTooLongIsAnsweredUnderItsId(t *testing.T) {
	long := strings.Repeat(`\"id\":7,{[`, 20_000) // in a text
	for name, c := range map[string]struct{ line, id string }{
		"first":                {`{"jsonrpc":"2.0","id":1,"method":"a","params":{"id":2,"long":"` + long + `"}}`, `"id":1,`},
		"last":                 {`{"method":"a","params":{"id":2,"long":"` + long + `"},"jsonrpc":"2.0","id" : "x,\u007d" }`, `"id":"x,\u007d",`},
		"before a long number": {`{"id":3,"n":` + strings.Repeat("1", 200_000) + `}`, `"id":3,`},
		"in escapes":           {`{"\u0069d":4,"method":"a","params":["` + long + `"]}`, `"id":4,`},
		"behind blanks":        {`{` + strings.Repeat(" ", 200_000) + `"id" : 6 }`, `"id":6,`},
		"not in UTF-8":         {"{\"id\":\"\xff\"" + `,"method":"a","params":["` + long + `"]}`, ``},
		"twice":                {`{"id":1,"method":"a","params":["` + long + `"],"id":2}`, ``},
		"none":                 {`{"method":"a","params":{"id":2,"long":"` + long + `"}}`, ``},
		"no id":                {`{"id":{"id":2},"method":"a","params":["` + long + `"]}`, ``},
		"an endless id":        {`{"method":"a","id":` + strings.Repeat("1", 200_000) + `}`, ``},
		"an array":             {`[{"id":1,"method":"a","params":["` + long + `"]}]`, ``},
		"garbage":              {`]}":,"id":5,` + long, ``},
	} {
		want := fmt.Sprintf(`{"jsonrpc":"2.0",%s"error":{"code":-32600,"message":"invalid request: the line is longer than 100000 bytes"}}`, c.id)
		t.Run(name, func(t *testing.T) {
			for _, f := range ours {
				is := is.New(t)
				in, out := strings.NewReader(f.frame(c.line)+f.frame(pipetest.Call(9, "ping", ""))), new(strings.Builder)
				is.NoErr(pipeline.New(f.open(in, out, 100_000), nil, pipetest.OK, pipeline.Options{}).Run(t.Context()))
				is.True(strings.Contains(out.String(), want))
				is.True(strings.Contains(out.String(), `"id":9,"result":{}`)) // and the next one is served
			}
		})
	}
}

func TestAnAnswerThatIsTooLongEndsTheCallThatWaitsForIt(t *testing.T) {
	is := is.New(t)
	var got error
	ask := func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
		_, got = pipeline.From(ctx).Call(ctx, "question", nil)
		return m.Answer(nil)
	}
	c := pipetest.Start(t, nil, ask, pipeline.Options{})
	c.Call(1, "ask", "")
	is.Equal(c.Recv(), pipetest.Call(1, "question", ""))
	c.Send(`{"jsonrpc":"2.0","result":"` + strings.Repeat("x", 2<<20) + `","id":1}`)
	is.Equal(c.Recv(), `{"jsonrpc":"2.0","id":1,"result":{}}`) // nothing answers the answer itself
	is.True(got != nil && strings.Contains(got.Error(), "longer than 1048576 bytes"))
	is.True(!errors.Is(got, io.EOF))
}
