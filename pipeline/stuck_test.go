package pipeline_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/pipeline/pipetest"
)

// hold blocks until the test ends, whatever the context says.
type hold chan struct{}

func (h hold) Write(b []byte) (int, error) { <-h; return len(b), nil }
func (h hold) log() *slog.Logger           { return slog.New(slog.NewTextHandler(h, nil)) }

// noticed is how long it takes until a write that nobody reads no longer keeps
// the pipeline from seeing the end of the input.
const noticed = 250 * time.Millisecond

// stuckWith runs a pipeline to the end of its input while something in it is
// stuck, and returns how long that took and the error.
func stuckWith(t *testing.T, h hold, out io.Writer, chain []pipeline.Middleware, handler pipeline.Handler, o pipeline.Options) (time.Duration, error) {
	start := time.Now()
	p := pipetest.New(strings.NewReader(ping1+"\n"), out, chain, handler, o)
	err := p.Run(context.Background())
	took := time.Since(start)
	close(h)
	synctest.Wait()
	return took, err
}

func TestNothingStuckDelaysTheEndForever(t *testing.T) {
	stops := func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
		pipeline.Yield(ctx)
		pipeline.From(ctx).Stop(nil)
		return m.Answer(nil)
	}
	for _, c := range []struct {
		name, want string
		run        func(t *testing.T, h hold) (time.Duration, error)
	}{
		{"a write", "a response (id 1) in the write to the stream", func(t *testing.T, h hold) (time.Duration, error) {
			return stuckWith(t, h, h, nil, nil, pipeline.Options{})
		}},
		{"a write of a call", "notification x in the write to the stream", func(t *testing.T, h hold) (time.Duration, error) {
			return stuckWith(t, h, h, nil, func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
				pipeline.From(ctx).Notify(ctx, "x", nil)
				return m.Answer(nil)
			}, pipeline.Options{})
		}},
		{"a write of a goroutine", "notification x in the write to the stream", func(t *testing.T, h hold) (time.Duration, error) {
			return stuckWith(t, h, h, nil, func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
				go pipeline.From(ctx).Notify(context.Background(), "x", nil)
				synctest.Wait()
				return m.Answer(nil)
			}, pipeline.Options{})
		}},
		{"the way in of a stage", "ping (id 1) in a stage", func(t *testing.T, h hold) (time.Duration, error) {
			inner := pipeline.Middleware{Name: "inner", Inbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Handler) (*pipeline.Message, error) {
				return next(ctx, m)
			}}
			door := pipeline.Middleware{Name: "door", Inbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Handler) (*pipeline.Message, error) {
				answer, err := next(ctx, m)
				<-h
				return answer, err
			}}
			return stuckWith(t, h, io.Discard, []pipeline.Middleware{door, inner}, stops, pipeline.Options{})
		}},
		{"the way out of a stage", "a response (id 1) in a stage, on its way out", func(t *testing.T, h hold) (time.Duration, error) {
			door := pipeline.Middleware{Name: "door", Outbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Sender) error {
				<-h
				return next(ctx, m)
			}}
			return stuckWith(t, h, io.Discard, []pipeline.Middleware{door}, nil, pipeline.Options{})
		}},
		{"a handler that was stopped", "ping (id 1) in the handler", func(t *testing.T, h hold) (time.Duration, error) {
			return stuckWith(t, h, io.Discard, nil, func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
				pipeline.Yield(ctx)
				pipeline.From(ctx).Stop(nil)
				<-h
				return m.Answer(nil)
			}, pipeline.Options{})
		}},
		{"a handler after a limit to draining", "ping (id 1) in the handler", func(t *testing.T, h hold) (time.Duration, error) {
			took, err := stuckWith(t, h, io.Discard, nil, func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
				pipeline.Yield(ctx)
				<-h
				return m.Answer(nil)
			}, pipeline.Options{Drain: time.Minute})
			return took - time.Minute, err
		}},
		{"an item of a batch", "ping (id 1) in the handler", func(t *testing.T, h hold) (time.Duration, error) {
			batch := pipeline.Middleware{Name: "batch", Inbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Handler) (*pipeline.Message, error) {
				return nil, pipeline.Split(ctx, slices.Values([]*pipeline.Message{m}), next)
			}}
			return stuckWith(t, h, io.Discard, []pipeline.Middleware{batch}, func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
				pipeline.Yield(ctx)
				pipeline.From(ctx).Stop(nil)
				<-h
				return m.Answer(nil)
			}, pipeline.Options{})
		}},
		{"the answer of an item of a batch", "a response (id 1) in the write to the stream", func(t *testing.T, h hold) (time.Duration, error) {
			batch := pipeline.Middleware{Name: "batch", Inbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Handler) (*pipeline.Message, error) {
				return nil, pipeline.Split(ctx, slices.Values([]*pipeline.Message{m}), next)
			}}
			return stuckWith(t, h, h, []pipeline.Middleware{batch}, nil, pipeline.Options{})
		}},
		{"what comes afterwards", "ping (id 1) after its answer", func(t *testing.T, h hold) (time.Duration, error) {
			return stuckWith(t, h, io.Discard, nil, func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
				pipeline.Yield(ctx)
				pipeline.Afterwards(ctx, func(context.Context) { <-h })
				return m.Answer(nil)
			}, pipeline.Options{})
		}},
		{"the log", "ping (id 1) in a stage", func(t *testing.T, h hold) (time.Duration, error) {
			return stuckWith(t, h, io.Discard, nil, func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
				pipeline.Yield(ctx)
				pipeline.From(ctx).Stop(nil)
				panic("logged")
			}, pipeline.Options{Log: h.log()})
		}},
		{"what a stage sends later", "delayed messages in a stage, on its way out", func(t *testing.T, h hold) (time.Duration, error) {
			return stuckWith(t, h, io.Discard, nil, func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
				pipeline.From(ctx).Later(time.Hour, func() error { <-h; return nil })
				return m.Answer(nil)
			}, pipeline.Options{})
		}},
		{"the stream that closes", "the stream to close", func(t *testing.T, h hold) (time.Duration, error) {
			return stuckWith(t, h, lateCloser{h}, nil, nil, pipeline.Options{})
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				is := is.New(t)
				took, err := c.run(t, make(hold))
				is.True(took <= 10*time.Second+noticed)     // not longer than this
				is.True(errors.Is(err, pipeline.ErrStuck))  // Run returns ErrStuck
				if !strings.Contains(err.Error(), c.want) { // and names what is stuck
					t.Error(err)
				}
			})
		})
	}
}

// lateCloser discards what is written, and closes when the test ends.
type lateCloser struct{ h hold }

func (lateCloser) Write(b []byte) (int, error) { return len(b), nil }
func (l lateCloser) Close() error              { <-l.h; return nil }

func TestGraceLimitsTheWaitForStuckHandlers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		h := make(hold)
		took, err := stuckWith(t, h, h, nil, nil, pipeline.Options{Grace: time.Second})
		is.True(took <= time.Second+noticed)
		is.True(errors.Is(err, pipeline.ErrStuck))
	})
}

func TestALimitToDrainingMakesTheEndNoLaterWhenNobodyReads(t *testing.T) {
	for name, work := range map[string]time.Duration{"cancelled": time.Hour, "ended before": 900 * time.Millisecond} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				is := is.New(t)
				h := make(hold)
				took, err := stuckWith(t, h, h, nil, func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
					pipeline.Yield(ctx)
					select {
					case <-time.After(work):
					case <-ctx.Done():
					}
					return m.Answer(nil)
				}, pipeline.Options{Drain: time.Second})
				is.True(took <= 10*time.Second)
				is.True(errors.Is(err, pipeline.ErrStuck))
			})
		})
	}
}

func TestStuckHandlersDoNotHideWhyThePipelineEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		h, why := make(hold), errors.New("why")
		_, err := stuckWith(t, h, io.Discard, nil, func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
			pipeline.From(ctx).Stop(why)
			<-h
			return nil, nil
		}, pipeline.Options{})
		is.True(errors.Is(err, why))
		is.True(errors.Is(err, pipeline.ErrStuck))
	})
}

func TestMessagesThatWereReadMayTakeLongerThanGrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		c := pipetest.Start(t, nil, methods().Serve, pipeline.Options{})
		c.Call(1, "wait", `{"Secs":3600}`)
		is.NoErr(c.Close())
		is.Equal(c.Recv(), `{"jsonrpc":"2.0","id":1,"result":"waited"}`) // an hour after the input has ended
	})
}

// slow takes eight seconds for each line, more than half of the grace.
type slow struct{ lines []string }

func (s *slow) Write(b []byte) (int, error) {
	<-time.After(4 * time.Second)
	s.lines = append(s.lines, string(b))
	return len(b), nil
}

func TestASlowReaderIsNotStuck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		out := new(slow)
		p := pipetest.New(strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"x"}`), out, nil, func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
			for range 10 {
				pipeline.From(ctx).Notify(ctx, "progress", nil)
			}
			return m.Answer(ctx.Err() == nil)
		}, pipeline.Options{})
		is.NoErr(p.Run(context.Background()))
		is.Equal(len(out.lines), 11) // all of them were read
		is.Equal(out.lines[10], `{"jsonrpc":"2.0","id":1,"result":true}`+"\n")
	})
}

func TestHandlersThatCannotWriteAreCancelledWhenNobodyReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		h := make(hold)
		var ended time.Duration
		start := time.Now()
		took, _ := stuckWith(t, h, h, nil, func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
			pipeline.Yield(ctx)
			go pipeline.From(ctx).Notify(ctx, "x", nil)
			<-ctx.Done()
			ended = time.Since(start) // at this point a tool would be ended
			return nil, context.Cause(ctx)
		}, pipeline.Options{})
		is.Equal(ended, 5*time.Second)
		is.Equal(took, 10*time.Second)
	})
}

func TestAFailedWriteCancelsAtOnceAndNothingFollows(t *testing.T) {
	for _, closed := range []bool{false, true} { // whether the input has ended
		synctest.Test(t, func(t *testing.T) {
			is := is.New(t)
			r, w := io.Pipe()
			out := &failing{after: 1}
			p := pipetest.New(r, out, nil, methods().Serve, pipeline.Options{})
			ended := make(chan error)
			start := time.Now()
			go func() { ended <- p.Run(context.Background()) }()
			io.WriteString(w, pipetest.Call(1, "wait", `{"Secs":3600}`)+"\n"+pipetest.Call(2, "wait", `{"Secs":60}`)+"\n"+pipetest.Call(3, "wait", `{"Secs":30}`)+"\n")
			if closed {
				w.Close()
			}
			is.Equal((<-ended).Error(), "write: broken")
			is.Equal(time.Since(start), time.Minute) // the third was answered, the second could not be, the first is cancelled
			is.Equal(out.tried, 2)                   // after a failed write nothing is written
			w.Close()
		})
	}
}

// failing is a writer that fails after some writes.
type failing struct{ after, tried int }

func (f *failing) Write(b []byte) (int, error) {
	if f.tried++; f.tried > f.after {
		return 0, errors.New("broken")
	}
	return len(b), nil
}

func TestTheEndOfTheInputIsSeenEvenIfNobodyReadsAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		h := make(hold)
		start := time.Now()
		p := pipetest.New(strings.NewReader(strings.Repeat(ping1+"\n", 2500)), h, nil, nil, pipeline.Options{})
		err := p.Run(context.Background())
		is.True(errors.Is(err, pipeline.ErrStuck))
		is.True(time.Since(start) <= 10*time.Second+noticed) // however many messages come before it
		close(h)
		synctest.Wait()
	})
}

func TestMessagesWhoseAnswersNobodyReadsTakeBoundedMemory(t *testing.T) {
	for name, c := range map[string]struct{ line, count, most int }{
		"tiny": {len(ping1), 20_000, 3_000}, // each takes 12 KiB, whatever its length
		"long": {1 << 20, 100, 40},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				is := is.New(t)
				r, w := io.Pipe()
				line := ping1 + strings.Repeat(" ", c.line-len(ping1)) + "\n"
				served := 0
				count := func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
					served++
					return m.Answer(nil)
				}
				p := pipetest.New(strings.NewReader(strings.Repeat(line, c.count)), w, nil, count, pipeline.Options{})
				ended := make(chan error, 1)
				go func() { ended <- p.Run(context.Background()) }()
				<-time.After(4 * time.Second)
				synctest.Wait()
				is.True(served <= c.most) // then it stopped reading
				out, err := io.ReadAll(r)
				is.NoErr(err)
				is.Equal(strings.Count(string(out), "\n"), c.count) // and goes on when they are read
				is.NoErr(<-ended)
			})
		})
	}
}

func TestAnswersThatNobodyReadForAWhileAllArrive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		r, w := io.Pipe()
		p := pipetest.New(strings.NewReader(strings.Repeat(ping1+"\n", 500)), w, nil, nil, pipeline.Options{})
		ended := make(chan error, 1)
		go func() { ended <- p.Run(context.Background()) }()
		<-time.After(4 * time.Second)
		out, err := io.ReadAll(r)
		is.NoErr(err)
		is.Equal(string(out), strings.Repeat(pong1+"\n", 500))
		is.NoErr(<-ended)
	})
}
