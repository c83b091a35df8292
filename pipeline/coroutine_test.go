package pipeline

import (
	"context"
	"io"
	"testing"
	"testing/synctest"

	"github.com/matryer/is"
)

func TestFewCoroutinesWaitForMessagesAndNoneAfterTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		in, client := io.Pipe()
		made := make(chan *Promise, 2*maxIdle)
		p := New(NewNDJSON(in, io.Discard, 0), nil, func(ctx context.Context, m *Message) (*Message, error) {
			q := NewPromise(ctx)
			made <- q
			return q.Await(ctx)
		}, Options{})
		ended := make(chan error)
		go func() { ended <- p.Run(t.Context()) }()
		for range cap(made) {
			io.WriteString(client, `{"jsonrpc":"2.0","method":"wait"}`+"\n")
		}
		synctest.Wait()
		is.Equal(len(p.coroutines.idle), 0) // each has a message
		for range cap(made) {
			(<-made).Settle(nil, nil)
		}
		is.Equal(len(p.coroutines.idle), maxIdle) // the others have ended
		client.Close()
		is.NoErr(<-ended)
		is.Equal(len(p.coroutines.idle), 0)
	})
}
