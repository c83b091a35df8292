package run

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/mcp-bash/mcp-bash/v2/internal/schema"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

// Schemas keeps the compiled schemas of tools: of each tool those that it has now. The
// zero value is ready; it may be used by several goroutines.
type Schemas struct {
	mu   sync.Mutex
	kept map[slot]kept
}

// A slot is where a tool has a schema.
type slot struct {
	tool   string
	output bool
}

// kept is what a text was compiled to.
type kept struct {
	text     string
	compiled *schema.Schema
	err      error
}

// maxKept is how many schemas are kept. With more, as tools that were renamed all the
// time leave behind, those that are still used are compiled once more.
const maxKept = 10_000

// Check tells what is wrong with a schema.
func (*Schemas) Check(text []byte) error {
	return schema.Check(text)
}

// compile returns the schema of a slot. It is compiled when its text has changed.
func (s *Schemas) compile(at slot, text []byte) (*schema.Schema, error) {
	s.mu.Lock()
	k, ok := s.kept[at]
	s.mu.Unlock()
	if ok && k.text == string(text) {
		return k.compiled, k.err
	}
	k = kept{text: string(text)}
	k.compiled, k.err = schema.Compile(text) // two at once do it twice
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kept == nil || len(s.kept) >= maxKept {
		s.kept = make(map[slot]kept)
	}
	s.kept[at] = k
	return k.compiled, k.err
}

// faults holds a document against the schema of a slot and lists what is wrong
// in lines, "" for nothing. It takes no longer than ctx lasts.
func (s *Schemas) faults(ctx context.Context, at slot, text, doc []byte) string {
	compiled, err := s.compile(at, text)
	if err != nil {
		return err.Error()
	}
	faults, err := compiled.Validate(ctx, doc)
	if err != nil {
		return err.Error()
	}
	var lines []string
	for i, f := range faults {
		if i == maxFaults {
			lines = append(lines, fmt.Sprintf("… and %d more", len(faults)-i))
			break
		}
		lines = append(lines, "- "+f.String())
	}
	return strings.Join(lines, "\n")
}

// maxFaults is how many faults are listed; a model mends no more at once.
const maxFaults = 50

// checkArguments returns the result that tells the model what is wrong with its
// arguments, nil if nothing is (T-04). It takes no longer than the tool may.
func (r *Runtime) checkArguments(ctx context.Context, c Call) *mcp.CallToolResult {
	ctx, done := r.limited(ctx, c)
	defer done()
	faults := r.Schemas.faults(ctx, slot{tool: c.Tool.Name}, c.Tool.InputSchema, c.Args)
	if faults == "" {
		return nil
	}
	return failure(fmt.Sprintf("Invalid arguments for tool %s:\n%s", c.Tool.Name, faults))
}

// checkOutput lists what is wrong with the structured output of a tool, as faults does.
func (r *Runtime) checkOutput(ctx context.Context, c Call, output []byte) string {
	ctx, done := r.limited(ctx, c)
	defer done()
	return r.Schemas.faults(ctx, slot{c.Tool.Name, true}, c.Tool.OutputSchema, output)
}

// limited returns a context for what the server does itself for a call: it has as long as
// the tool.
func (r *Runtime) limited(ctx context.Context, c Call) (context.Context, context.CancelFunc) {
	limit := r.times(c).limit
	if limit <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, limit, &timeout{"fixed", limit})
}
