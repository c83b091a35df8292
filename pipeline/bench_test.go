package pipeline_test

import (
	"io"
	"strings"
	"testing"

	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/pipeline/pipetest"
)

func mebibyte() string {
	return `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"text":"` + strings.Repeat("0123456789abcdef", 1<<16) + `"}}`
}

func BenchmarkParsePing(b *testing.B) {
	line := []byte(ping1)
	b.ReportAllocs()
	for b.Loop() {
		parsed = pipeline.Parse(line)
	}
}

// parsed makes messages last longer than the func that parses them, as they do in a pipeline.
var parsed *pipeline.Message

func BenchmarkParse1MiB(b *testing.B) {
	line := []byte(mebibyte())
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	for b.Loop() {
		parsed = pipeline.Parse(line)
	}
}

// BenchmarkPass1MiB takes 1 MiB of params from the stream through an empty
// chain; compare it with BenchmarkParse1MiB.
func BenchmarkPass1MiB(b *testing.B) {
	benchmarkServe(b, mebibyte())
}

func BenchmarkServePing(b *testing.B) { benchmarkServe(b, ping1) }

func benchmarkServe(b *testing.B, line string) {
	r, w := io.Pipe()
	done := make(chan error)
	p := pipeline.New(pipeline.NewNDJSON(r, io.Discard, 0), nil, pipetest.OK, pipeline.Options{})
	go func() { done <- p.Run(b.Context()) }()
	msg := []byte(line + "\n")
	b.SetBytes(int64(len(msg)))
	b.ReportAllocs()
	for b.Loop() {
		w.Write(msg)
	}
	w.Close()
	<-done
}
