package server_test

import (
	"log/slog"
	"runtime"
	"testing"

	"github.com/mcp-bash/mcp-bash/v2/server"
)

// The cost of an additional session: the time from the handshake to the end, and the memory of an
// idle session.
func BenchmarkSession(b *testing.B) {
	srv, err := server.Open(b.Context(), server.Options{
		ProjectRoot: files(b, map[string]string{"tools/x.sh": "#!/bin/sh\n# mcp: {\"description\":\"x\"}\n"}),
		Log:         slog.New(slog.DiscardHandler),
	})
	if err != nil {
		b.Fatal(err)
	}
	defer srv.Close()
	join(b, srv).leave(b)
	b.Run("open-and-close", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			join(b, srv).leave(b)
		}
	})
	b.Run("memory", func(b *testing.B) {
		const many = 200
		for b.Loop() {
			before := inUse()
			open := make([]*client, many)
			for i := range open {
				open[i] = join(b, srv)
			}
			b.ReportMetric(float64(inUse()-before)/many/1024, "KiB/session") // including its client
			for _, c := range open {
				c.leave(b)
			}
		}
	})
}

// inUse returns the memory of heap and stacks in use.
func inUse() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse + m.StackInuse
}
