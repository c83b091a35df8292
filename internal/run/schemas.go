package run

import (
	"fmt"
	"strings"
	"sync"

	"github.com/mcp-bash/mcp-bash/v2/internal/schema"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

// Schemas keeps compiled schemas by their text. The zero value is ready; it may
// be used by several goroutines.
type Schemas struct {
	compiled sync.Map // text → *schema.Schema or error
}

// Compile returns the schema of a text. Each text is compiled once.
func (s *Schemas) Compile(text []byte) (*schema.Schema, error) {
	kept, ok := s.compiled.Load(string(text))
	if !ok {
		compiled, err := schema.Compile(text)
		if err != nil {
			kept = err
		} else {
			kept = compiled
		}
		kept, _ = s.compiled.LoadOrStore(string(text), kept)
	}
	if err, failed := kept.(error); failed {
		return nil, err
	}
	return kept.(*schema.Schema), nil
}

// Check tells what is wrong with a schema.
func (s *Schemas) Check(text []byte) error {
	_, err := s.Compile(text)
	return err
}

// faults holds a document against the schema of a text and lists what is wrong
// in lines, "" for nothing.
func (s *Schemas) faults(text, doc []byte) string {
	compiled, err := s.Compile(text)
	if err != nil {
		return err.Error()
	}
	faults, err := compiled.Validate(doc)
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
// arguments, nil if nothing is (T-04).
func (r *Runtime) checkArguments(c Call) *mcp.CallToolResult {
	faults := r.Schemas.faults(c.Tool.InputSchema, c.Arguments)
	if faults == "" {
		return nil
	}
	return failure(fmt.Sprintf("Invalid arguments for tool %s:\n%s", c.Tool.Name, faults))
}
