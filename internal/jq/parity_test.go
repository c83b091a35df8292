package jq_test

import (
	"bytes"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/jq"
	"github.com/mcp-bash/mcp-bash/v2/internal/sdk/filter"
)

// outOfReach matches functions with which a filter accesses more than its input: only the command
// has them.
var outOfReach = regexp.MustCompile(`\b(inputs?|input_filename|input_line_number|env|modulemeta)\b|\$ENV|\$ARGS|\b(import|include) `)

// Tools use either: mcp_jq of the SDK, or jq, which is mcp-bash on machines without jq.
func TestTheSDKAndTheCommandGiveTheSameAnswers(t *testing.T) {
	compared := 0
	for _, row := range jq.Rows() {
		program, in := row[0], row[1]
		if outOfReach.MatchString(program) || strings.HasPrefix(program, "-") {
			continue
		}
		compared++
		t.Run(program, func(t *testing.T) {
			is := is.New(t)
			var out bytes.Buffer
			code := jq.Main([]string{"-rc", program}, strings.NewReader(in), &out, io.Discard, nil)
			results, err := filter.Run(t.Context(), program, []byte(in))
			var lines bytes.Buffer
			for _, r := range results {
				lines.Write(append(r.Text(), '\n'))
			}
			if err != nil { // the command goes on with the next input
				is.True(strings.HasPrefix(out.String(), lines.String()))
				return
			}
			is.Equal(lines.String(), out.String()) // of the SDK, of the command
			is.Equal(code, 0)
		})
	}
	if compared < 300 {
		t.Errorf("only %d rows were compared", compared)
	}
}
