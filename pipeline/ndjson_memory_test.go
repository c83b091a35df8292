package pipeline_test

import (
	"encoding/json"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

func TestALineThatIsTooLongCostsTheLimitOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: so many bytes take long under the race detector, which changes what they cost")
	}
	is := is.New(t)
	const limit = 32 << 20
	text := strings.Repeat("x", 3*limit)
	stream := pipeline.NewNDJSON(strings.NewReader(text), io.Discard, limit)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var line json.RawMessage
	err := stream.ReadObject(&line)
	runtime.ReadMemStats(&after)
	var long *pipeline.LineError
	is.True(errors.As(err, &long))
	is.True(after.TotalAlloc-before.TotalAlloc < limit*5/4)
}
