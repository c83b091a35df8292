package pipeline_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/pipeline/pipetest"
)

func TestWorkLetsTheNextMessageComeIn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		work := func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
			done, err := pipeline.Work(ctx)
			if err != nil {
				return nil, err
			}
			defer done()
			<-time.After(time.Hour)
			return m.Answer("worked")
		}
		c := pipetest.Start(t, nil, pipeline.Mux{"work": work, "ping": pipetest.OK}.Serve, pipeline.Options{})
		c.Call(1, "work", "")
		c.Call(2, "ping", "")
		is.Equal(c.Recv(), `{"jsonrpc":"2.0","id":2,"result":{}}`)
		is.Equal(c.Recv(), `{"jsonrpc":"2.0","id":1,"result":"worked"}`)
	})
}

func TestAStageMayRefuseWork(t *testing.T) {
	is := is.New(t)
	full := errors.New("full")
	_, err := pipeline.WorkAfter(t.Context(), func(context.Context) error { return full })
	is.Equal(err, full)
	done, err := pipeline.WorkAfter(t.Context(), func(context.Context) error { return nil })
	is.NoErr(err)
	done()
	done() // a second call does nothing
}

func TestAStageDecidesWhenWorkMayBeginAndThenAsksTheOuterOne(t *testing.T) {
	is := is.New(t)
	var order []string
	stage := func(name string) pipeline.Middleware {
		return pipeline.Middleware{Name: name, Inbound: func(out context.Context, m *pipeline.Message, next pipeline.Handler) (*pipeline.Message, error) {
			return next(pipeline.WithWorker(out, func(ctx context.Context, wait func(context.Context) error) (func(), error) {
				order = append(order, name)
				return pipeline.WorkerOf(out)(ctx, wait)
			}), m)
		}}
	}
	pipetest.Chain(t, []pipeline.Middleware{stage("outer"), stage("inner")}, func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
		_, err := pipeline.Work(ctx)
		is.NoErr(err)
		return nil, nil
	}, pipetest.Notification("note", ""))
	is.Equal(order, []string{"inner", "outer"})
}

func TestAMessageLosesTheBatonAfterItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		look := func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
			defer pipeline.YieldAfter(ctx, 10*time.Millisecond)()
			var p struct {
				Millis int `json:"millis"`
			}
			if err := m.Decode(&p); err != nil {
				return nil, err
			}
			<-time.After(time.Duration(p.Millis) * time.Millisecond)
			return m.Answer(nil)
		}
		c := pipetest.Start(t, nil, pipeline.Mux{"look": look, "ping": pipetest.OK}.Serve, pipeline.Options{})
		ok := func(id string) string { return `{"jsonrpc":"2.0","id":` + id + `,"result":{}}` }
		c.Call(1, "look", `{"millis":9}`)
		c.Call(2, "ping", "")
		is.Equal(c.Recv(), ok("1")) // in turn
		is.Equal(c.Recv(), ok("2"))
		start := time.Now()
		c.Call(3, "look", `{"millis":3600000}`)
		c.Call(4, "ping", "")
		is.Equal(c.Recv(), ok("4"))
		is.Equal(time.Since(start), 10*time.Millisecond)
		is.Equal(c.Recv(), ok("3"))
	})
}
