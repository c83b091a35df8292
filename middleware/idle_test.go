package middleware_test

import (
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/middleware"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/pipeline/pipetest"
)

func ExampleIdle() {
	pipetest.Serve(os.Stdout, []pipeline.Middleware{middleware.Idle(time.Hour)}, nil, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	// Output: {"jsonrpc":"2.0","id":1,"result":{}}
}

func TestAServerThatNobodyTalksToEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		c := pipetest.Start(t, chain(middleware.Idle(time.Minute)), methods().Serve, pipeline.Options{})
		start := time.Now()
		for range 3 {
			c.Send(ping(1))
			is.Equal(c.Recv(), pong(1))
			<-time.After(59 * time.Second) // a message starts the minute anew
		}
		is.NoErr(c.Wait()) // without a fault, though the input is open
		is.Equal(time.Since(start), (2*59+60)*time.Second)
	})
}

func TestACallAtWorkIsNotIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		c := pipetest.Start(t, chain(middleware.Idle(time.Minute)), methods().Serve, pipeline.Options{})
		start := time.Now()
		c.Send(wait(1, 3600), wait(2, 1800), ping(3))
		is.Equal(c.Recv(), pong(3))
		is.Equal(c.Recv(), waited(2))
		is.Equal(c.Recv(), waited(1))
		is.NoErr(c.Wait())
		is.Equal(time.Since(start), time.Hour+time.Minute) // a minute after the last was done
	})
}

func TestWithoutALimitAServerWaitsForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		c := pipetest.Start(t, chain(middleware.Idle(0)), nil, pipeline.Options{})
		c.Send(ping(1))
		is.Equal(c.Recv(), pong(1))
		<-time.After(1000 * time.Hour)
		c.Send(ping(2))
		is.Equal(c.Recv(), pong(2))
		is.NoErr(c.Close())
	})
}
