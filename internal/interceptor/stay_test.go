package interceptor

import (
	"os"
	"testing"

	"github.com/matryer/is"
)

func TestALineThatNobodyAskedForIsNotTheAnswerToTheNextQuestion(t *testing.T) {
	is := is.New(t)
	in, out, err := os.Pipe()
	is.NoErr(err)
	defer in.Close()
	defer out.Close()
	w := &child{in: out, cancel: func(error) {}, lines: make(chan []byte, 1), done: make(chan struct{})}
	is.True(w.ready())
	_, err = w.Write([]byte(`{"valid":true}` + "\n")) // another answer to the question before, which came late
	is.NoErr(err)
	_, err = w.ask(t.Context(), []byte("question\n"))
	is.Equal(err, errOdd)
	_, err = w.ask(t.Context(), []byte("question\n"))
	is.Equal(err, errOdd) // it is not asked again
}
