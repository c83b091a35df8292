package behind_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/mcp-bash/mcp-bash/v2/middleware"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/pipeline/behind"
)

// BenchmarkRelay takes calls through the chain of wrap, and their answers back, 64 at a time.
func BenchmarkRelay(b *testing.B) {
	fromClient, client := pipe(b)
	answers, toClient := pipe(b)
	calls, toServer := pipe(b)
	fromServer, server := pipe(b)
	s := behind.New(pipeline.NewNDJSON(fromServer, toServer, 0), behind.Options{Dialect: relayed, Log: quiet})
	chain := append(middleware.Standard(middleware.Settings{Dialect: relayed, Log: quiet, MaxMessage: 10 << 20,
		Trip: middleware.Trip{Never: true}}), s.Stage())
	p := pipeline.New(pipeline.NewNDJSON(fromClient, toClient, 10<<20), chain, s.Handle, pipeline.Options{Log: quiet, CallIDs: "relay-"})
	go p.Run(context.Background())
	go s.Run(context.Background(), p)
	go func() { // the server
		in := bufio.NewReaderSize(calls, 64<<10)
		var out []byte
		for {
			line, err := in.ReadSlice('\n')
			if err != nil {
				return
			}
			out = append(append(append(out, line[:33]...), `"result":{}}`...), '\n')
			if in.Buffered() == 0 {
				server.Write(out)
				out = out[:0]
			}
		}
	}()
	in := bufio.NewReaderSize(answers, 64<<10)
	const inFlight = 64
	b.ReportAllocs()
	id := 1000000000
	for b.Loop() {
		var lines []byte
		for range inFlight {
			id++
			lines = fmt.Appendf(lines, `{"jsonrpc":"2.0","id":%d,"method":"ping"}`+"\n", id)
		}
		client.Write(lines)
		for range inFlight {
			in.ReadSlice('\n')
		}
	}
}

func pipe(b *testing.B) (r, w *os.File) {
	r, w, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { r.Close(); w.Close() })
	return r, w
}
