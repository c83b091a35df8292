//go:build !race

package pipeline_test

import (
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// The race detector makes sync.Pool drop items at random, so this test runs without it.
func TestParseScansWithoutAllocating(t *testing.T) {
	is := is.New(t)
	line := []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"a":[1,2,3]}}}`)
	n := testing.AllocsPerRun(200, func() { pipeline.Parse(line) })
	is.True(n <= 3) // the message, its id and its method
}
