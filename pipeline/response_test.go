package pipeline_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/pipeline/pipetest"
)

// brokenResponses are objects with a result or an error that are not responses.
var brokenResponses = []string{
	`{"jsonrpc":"2.0","id":3,"result":1,"error":{"code":1,"message":""}}`,
	`{"jsonrpc":"2.0","id":3,"error":{"code":"x","message":""}}`,
	`{"jsonrpc":"2.0","id":3,"error":5}`,
	`{"jsonrpc":"2.0","id":3,"error":null}`,
	`{"jsonrpc":"2.0","result":1}`,
	`{"jsonrpc":"2.0","id":null,"result":1}`,
	`{"jsonrpc":"2.0","id":true,"error":{"code":1,"message":""}}`,
	`{"jsonrpc":"2.0","id":3,"id":4,"result":1}`,
	`{"jsonrpc":"1.0","id":3,"result":1}`,
	`{"id":3,"result":1}`,
	`{"result":{}}`,
}

func TestBrokenResponsesAreNeverAnswered(t *testing.T) {
	for _, line := range append(brokenResponses,
		`{"jsonrpc":"2.0","error":{"code":-32700,"message":"parse error"}}`,
		`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}`,
	) {
		is := is.New(t)
		is.True(!pipeline.Parse([]byte(line)).Answerable())
		is.Equal(pipetest.Chain(t, nil, methods().Serve, line, ping1), []string{pong1}) // two sides would answer each other without end
		batch := `[` + line + `,` + ping1 + `]`
		is.Equal(pipetest.Chain(t, []pipeline.Middleware{split}, methods().Serve, batch), []string{pong1}) // nor as an item of a batch
	}
}

func TestAStageThatRefusesABrokenResponseDoesNotAnswerItEither(t *testing.T) {
	is := is.New(t)
	strict := pipeline.Middleware{Name: "strict", Inbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Handler) (*pipeline.Message, error) {
		if m.Kind() == pipeline.Malformed {
			return nil, m.Fault()
		}
		return next(ctx, m)
	}}
	is.Equal(pipetest.In(t, strict, nil, append(brokenResponses, ping1)...), []string{pong1})
}

func TestABrokenResponseIsMalformedWithAReason(t *testing.T) {
	for _, line := range brokenResponses {
		is := is.New(t)
		m := pipeline.Parse([]byte(line))
		is.Equal(m.Kind(), pipeline.Malformed)
		is.True(strings.HasPrefix(m.Fault().Message, "invalid response: "))
	}
}

func TestAnErrorWithoutAnIDIsAResponse(t *testing.T) {
	is := is.New(t)
	m := pipeline.Parse(pipeline.NewErrorResponse(pipeline.ID{}, pipeline.ErrParse).Line()) // the other side could not read what we sent
	is.Equal(m.Kind(), pipeline.Response)
	is.True(m.ID().IsZero())
}

func TestABrokenResponseEndsTheCallThatWaitsForIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		c := pipetest.Start(t, nil, methods().Serve, pipeline.Options{})
		c.Call("q", "ask", "")
		c.Recv()
		c.Send(`{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"x"}}`)
		is.Equal(c.Recv(), `{"jsonrpc":"2.0","id":"q","error":{"code":-32600,"message":"invalid response: it has both \"result\" and \"error\""}}`)
	})
}

func TestOnlyMessagesWithAnIDHaveAResult(t *testing.T) {
	for _, line := range []string{`{"jsonrpc":"2.0","method":"note"}`, `[]`, `garbage`, `{"jsonrpc":"2.0","id":null,"method":"x"}`} {
		is := is.New(t)
		answer, err := pipeline.Parse([]byte(line)).Answer(json.RawMessage(`{}`))
		is.True(answer == nil) // never a line without an id
		is.True(err != nil && strings.Contains(err.Error(), "has no id"))
	}
}

func TestAHandlerThatAnswersNotificationsAnswersNothing(t *testing.T) {
	is := is.New(t)
	always := func(_ context.Context, m *pipeline.Message) (*pipeline.Message, error) { return m.Answer(nil) }
	is.Equal(pipetest.Chain(t, nil, always, `{"jsonrpc":"2.0","method":"note"}`, ping1), []string{pong1})
}

func TestADialectSaysWhatIsWrittenForWhatIsNotThere(t *testing.T) {
	handler := func(_ context.Context, m *pipeline.Message) (*pipeline.Message, error) {
		return m.Answer(map[string]any{"ping": nil, "empty": struct{}{}}[m.Method()])
	}
	lines := []string{ping1, pipetest.Call(2, "empty", ""), `{"jsonrpc":"2.0","id":{},"method":"ping"}`, "nonsense"}
	for name, c := range map[string]struct {
		dialect pipeline.Dialect
		want    []string
	}{
		"MCP": {pipeline.MCP, []string{`"id":1,"result":{}`, `"id":2,"result":{}`, `"error":{"code":-32600,`, `"error":{"code":-32700,`}},
		"LSP": {pipeline.LSP, []string{`"id":1,"result":null`, `"id":2,"result":{}`, `"id":null,"error":{"code":-32600,`, `"id":null,"error":{"code":-32700,`}},
	} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			var out strings.Builder
			p := pipetest.New(strings.NewReader(strings.Join(lines, "\n")), &out, nil, handler, pipeline.Options{Dialect: c.dialect})
			is.NoErr(p.Run(t.Context()))
			got := strings.Split(strings.TrimSpace(out.String()), "\n")
			is.Equal(len(got), len(c.want))
			for i, line := range got {
				is.True(json.Valid([]byte(line)))
				is.True(strings.HasPrefix(line, `{"jsonrpc":"2.0",`+c.want[i])) // as the dialect has it
			}
		})
	}
}
