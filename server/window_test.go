package server_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/middleware"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/server"
)

// A duplex is the client's side of a stream. It receives each Write of the server separately, and
// each Read of the server gets one text that was sent.
type duplex struct {
	bursts  chan []byte
	written chan []byte
}

func (d duplex) Read(b []byte) (int, error) {
	burst, open := <-d.bursts
	if !open {
		return 0, io.EOF
	}
	return copy(b, burst), nil
}

func (d duplex) Write(b []byte) (int, error) {
	d.written <- bytes.Clone(b)
	return len(b), nil
}

// watched opens a session on a server with a log of calls and an observer, as `mcp-bash serve` has
// them.
func watched(t testing.TB) duplex {
	t.Helper()
	srv, err := server.Open(context.Background(), server.Options{
		ProjectRoot: files(t, map[string]string{"tools/x.sh": "#!/bin/sh\n# mcp: {\"description\":\"x\"}\n"}),
		Log:         slog.New(slog.DiscardHandler),
		Calls:       slog.New(slog.DiscardHandler),
		Observe:     func(*pipeline.Message) func(middleware.CallEnd) { return nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	d := duplex{make(chan []byte), make(chan []byte, 100)}
	ended := make(chan error, 1)
	go func() { ended <- srv.Serve(context.Background(), pipeline.NewNDJSON(d, d, 0)) }()
	t.Cleanup(func() {
		close(d.bursts)
		if err := <-ended; err != nil {
			t.Error(err)
		}
		srv.Close()
	})
	d.bursts <- []byte(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}` + "\n")
	<-d.written
	d.bursts <- []byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n")
	return d
}

// windowOfPings returns pings that arrive together, and their answers.
func windowOfPings() (pings []byte, pongs string) {
	var in bytes.Buffer
	var out strings.Builder
	for i := range 64 {
		fmt.Fprintf(&in, `{"jsonrpc":"2.0","id":%d,"method":"ping"}`+"\n", i)
		fmt.Fprintf(&out, `{"jsonrpc":"2.0","id":%d,"result":{}}`+"\n", i)
	}
	return in.Bytes(), out.String()
}

func TestPingsThatComeInTogetherAreAnsweredInOneWrite(t *testing.T) {
	is := is.New(t)
	d := watched(t)
	pings, pongs := windowOfPings()
	for range 10 {
		d.bursts <- pings
		is.Equal(string(<-d.written), pongs)
	}
}

func BenchmarkWindowOfPings(b *testing.B) {
	d := watched(b)
	pings, _ := windowOfPings()
	b.ReportAllocs()
	for b.Loop() {
		d.bursts <- pings
		<-d.written
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(64*b.N), "ns/ping")
}
