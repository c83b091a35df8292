package run

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/mcp-bash/mcp-bash/v2/internal/schema"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

// Schemas caches the compiled schemas of tools: for each tool its current ones. The zero
// value is ready to use. It is safe for concurrent use.
type Schemas struct {
	mu   sync.Mutex
	kept map[slot]kept
}

// A slot is the key of a schema: the tool's name, and whether it is the output schema.
type slot struct {
	tool   string
	output bool
}

// kept is the result of compiling the text of a schema.
type kept struct {
	text     string
	compiled *schema.Schema
	err      error
}

// maxKept is the most schemas that are kept. Beyond it, which takes tools that are
// renamed again and again, the cache is emptied, and schemas still in use are compiled
// again.
const maxKept = 10_000

// compile returns the schema of a slot, and compiles it if its text has changed.
func (s *Schemas) compile(at slot, text []byte) (*schema.Schema, error) {
	s.mu.Lock()
	k, ok := s.kept[at]
	s.mu.Unlock()
	if ok && k.text == string(text) {
		return k.compiled, k.err
	}
	k = kept{text: string(text)}
	k.compiled, k.err = schema.Compile(text) // two callers at once both compile it
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kept == nil || len(s.kept) >= maxKept {
		s.kept = make(map[slot]kept)
	}
	s.kept[at] = k
	return k.compiled, k.err
}

// faults validates a document against the schema of a slot and returns what is
// wrong, a line each, "" for nothing. It ends with ctx.
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

// maxFaults is the most faults that are listed; a model does not fix more at once.
const maxFaults = 50

// checkArguments returns the result that explains to the model what is wrong with
// its arguments, nil if nothing is (T-04). Before it refuses them it reads them as what is meant, unless
// Strict is set: converted is how many values it has changed in c.Args. It takes no longer than the tool may.
func (r *Runtime) checkArguments(ctx context.Context, c *Call) (refused *mcp.CallToolResult, converted int) {
	ctx, done := r.limited(ctx, *c)
	defer done()
	at := slot{tool: c.Tool.Name}
	faults := r.Schemas.faults(ctx, at, c.Tool.InputSchema, c.Args)
	if faults == "" {
		return nil, 0
	}
	if compiled, err := r.Schemas.compile(at, c.Tool.InputSchema); err == nil && !r.Strict {
		meant, n, conforms := compiled.Meant(ctx, c.Args)
		if conforms {
			c.Args = meant
			return nil, n
		}
		if n > 0 { // what was read as it is meant stands, so the others are the faults
			faults = cmp.Or(r.Schemas.faults(ctx, at, c.Tool.InputSchema, meant), faults)
		}
	}
	return failure(fmt.Sprintf("Invalid arguments for tool %s:\n%s", c.Tool.Name, faults)), 0
}

// checkOutput lists what is wrong with the structured output of a tool, as faults does.
func (r *Runtime) checkOutput(ctx context.Context, c Call, output []byte) string {
	ctx, done := r.limited(ctx, c)
	defer done()
	return r.Schemas.faults(ctx, slot{c.Tool.Name, true}, c.Tool.OutputSchema, output)
}

// limited returns a context for the server's own work on a call, with the time limit of the
// tool.
func (r *Runtime) limited(ctx context.Context, c Call) (context.Context, context.CancelFunc) {
	limit := r.Limits.times(c).limit
	if limit <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, limit, &timeout{"fixed", limit})
}
