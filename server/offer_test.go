package server_test

import (
	"context"
	"testing"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/server"
)

// looked opens a server and returns its offer.
func looked(t *testing.T, o server.Options) server.Offer {
	t.Helper()
	offers := make(chan server.Offer, 1)
	o.Looked = func(offer server.Offer) { offers <- offer }
	srv, err := server.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer srv.Close()
	select {
	case offer := <-offers:
		return offer
	case <-time.After(time.Minute):
		t.Fatal("a server never looked at its project")
	}
	return server.Offer{}
}

func TestAServerCountsWhatItOffers(t *testing.T) {
	is := is.New(t)
	o := quiet(t)
	o.ProjectRoot = files(t, map[string]string{
		"tools/x.sh":              "#!/bin/sh\n",
		"tools/y.sh":              "#!/bin/sh\n",
		"tools/z/tool.sh":         "#!/bin/sh\n",
		"tools/z/tool.meta.json":  "{",
		"resources/a.txt":         "a",
		"prompts/hi/hi.txt":       "Hi",
		"prompts/hi/hi.meta.json": `{"name":"hi","description":"Says hi"}`,
	})
	got := looked(t, o)
	is.Equal(got, server.Offer{Project: got.Project, Tools: 2, Resources: 1, Prompts: 1, Page: 100, Broken: 1})
	is.True(got.Project != "")

	o.Policy.Allow = []string{"x"}
	is.Equal(looked(t, o).Tools, 1) // only allowed tools

	o.Minimal = true
	is.Equal(looked(t, o), server.Offer{Project: got.Project, Page: 100, Broken: 1})
}

func TestAServerWithoutAProjectOffersOneTool(t *testing.T) {
	is := is.New(t)
	o := quiet(t)
	var got server.Offer
	o.Looked = func(offer server.Offer) { got = offer }
	srv, err := server.GettingStarted(t.Context(), "Why.", o)
	is.NoErr(err)
	is.NoErr(srv.Close())
	is.Equal(got, server.Offer{Tools: 1, Page: 100})
}

func TestASessionReportsWhyItEnded(t *testing.T) {
	for _, c := range []struct {
		name string
		end  func(*testing.T, *client)
		why  error
	}{
		{"the end of input", func(t *testing.T, c *client) { c.Close() }, pipeline.EndOfInput},
		{"exit", func(t *testing.T, c *client) {
			if err := c.Call(t.Context(), "shutdown", nil, nil); err != nil {
				t.Error(err)
			}
			_ = c.Notify(t.Context(), "exit", nil)
		}, pipeline.Finished},
		{"shutdown alone", func(t *testing.T, c *client) {
			if _, err := c.DispatchCall(t.Context(), "shutdown", nil); err != nil { // its answer may take a millisecond
				t.Error(err)
			}
		}, pipeline.End("shutdown without exit")},
	} {
		t.Run(c.name, func(t *testing.T) {
			is := is.New(t)
			o := quiet(t)
			o.Limits.Shutdown = time.Millisecond
			if c.why == pipeline.Finished {
				o.Limits.Shutdown = time.Hour
			}
			why := make(chan error, 1)
			o.Ended = func(err error) { why <- err }
			srv, err := server.Open(t.Context(), o)
			is.NoErr(err)
			defer srv.Close()
			one := join(t, srv)
			c.end(t, one)
			is.Equal(<-why, c.why)
			one.Close()
			is.NoErr(<-one.ended)
		})
	}
}

func TestASessionThatItsContextEndsNamesTheCause(t *testing.T) {
	is := is.New(t)
	cause := pipeline.End("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	why := make(chan error, 1)
	o := quiet(t)
	o.Ended = func(err error) { why <- err }
	srv, err := server.Open(ctx, o)
	is.NoErr(err)
	defer srv.Close()
	one := join(t, srv)
	cancel(cause)
	is.Equal(<-why, error(cause))
	one.Close()
	<-one.ended
}
