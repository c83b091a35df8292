package pipeline_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// writes are what is written, as it is written.
type writes chan string

func (w writes) Write(b []byte) (int, error) {
	w <- string(b)
	return len(b), nil
}

// serving runs a pipeline, which reads what is written to the returned pipe, and ends it with the test.
func serving(t *testing.T, to io.Writer, h pipeline.Handler) (*io.PipeWriter, <-chan error) {
	in, client := io.Pipe()
	p := pipeline.New(pipeline.NewNDJSON(in, to, 0), nil, h, pipeline.Options{})
	ended := make(chan error, 1)
	go func() { ended <- p.Run(t.Context()) }()
	t.Cleanup(func() { client.Close() })
	return client, ended
}

func TestTheAnswersToWhatComesTogetherLeaveTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // where nothing takes a millisecond
		is := is.New(t)
		got := make(writes, 10)
		client, ended := serving(t, got, methods().Serve)
		io.WriteString(client, strings.Repeat(ping1+"\n", 3)+ping1[:5])
		is.Equal(<-got, strings.Repeat(pong1+"\n", 3))
		io.WriteString(client, ping1[5:]+"\n")
		is.Equal(<-got, pong1+"\n") // it comes alone
		client.Close()
		is.NoErr(<-ended)
	})
}

func TestAnAnswerWaitsAMillisecondForTheNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		got := make(writes, 10)
		client, _ := serving(t, got, func(_ context.Context, m *pipeline.Message) (*pipeline.Message, error) {
			if m.Method() != "ping" {
				<-time.After(time.Minute)
			}
			return m.Answer(nil)
		})
		began := time.Now()
		for range 2 {
			io.WriteString(client, ping1+"\n"+`{"jsonrpc":"2.0","id":2,"method":"slow"}`+"\n")
			is.Equal(<-got, pong1+"\n")
			is.Equal(time.Since(began)%time.Minute, time.Millisecond)
			is.Equal(<-got, pong2+"\n")
		}
	})
}

func TestWhatStillWaitsLeavesAtTheEnd(t *testing.T) {
	is := is.New(t)
	got := make(writes, 10)
	client, ended := serving(t, got, methods().Serve)
	io.WriteString(client, ping1+"\n"+`{"jsonrpc":"2.0","method":"ping"}`+"\n")
	client.Close()
	is.NoErr(<-ended)
	is.Equal(<-got, pong1+"\n")
}

// refusing is a writer that fails.
type refusing struct{ err error }

func (r refusing) Write([]byte) (int, error) { return 0, r.err }

func TestAFailedWriteOfWhatHasWaitedEndsThePipelineAtTheNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		broken := errors.New("broken")
		client, ended := serving(t, refusing{broken}, methods().Serve)
		io.WriteString(client, ping1+"\n"+`{"jsonrpc":"2.0","method":"ping"}`+"\n")
		<-time.After(time.Second)
		io.WriteString(client, ping1+"\n")
		is.True(errors.Is(<-ended, broken))
	})
}
