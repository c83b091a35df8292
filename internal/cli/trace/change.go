package trace

import (
	"fmt"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/internal/redact"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// A Change is what a stage changed: a JSON patch (RFC 6902), or the sizes if a patch would
// be too large or one of the two is not JSON.
type Change struct {
	Patch []Operation `json:"patch,omitempty"`
	Bytes *sizes      `json:"bytes,omitempty"`
}

type sizes struct {
	From int `json:"from"`
	To   int `json:"to"`
}

// lines are a change in words, one for each place.
func (c Change) lines() (all []string) {
	for _, op := range c.Patch {
		all = append(all, short(op.String()))
	}
	if c.Bytes != nil {
		all = append(all, fmt.Sprintf("%d bytes became %d", c.Bytes.From, c.Bytes.To))
	}
	return all
}

const (
	maxCompared = 256 << 10 // bytes of a message
	maxPatch    = 16 << 10  // bytes of the paths and values of a patch
)

// changeOf compares the input and output of a stage.
func changeOf(s pipeline.Step, rules redact.Rules) Change {
	var from []byte
	if s.From != nil {
		from = s.From.Line()
	}
	return Compare(from, s.To.Line(), rules)
}

// Compare compares two messages or payloads, both without secrets.
func Compare(from, to []byte, rules redact.Rules) Change {
	other := Change{Bytes: &sizes{len(from), len(to)}}
	if len(from) > maxCompared || len(to) > maxCompared ||
		!json.Value(from).IsValid(json.Lenient) || !json.Value(to).IsValid(json.Lenient) {
		return other
	}
	before, err := json.Exact(rules.Line(from))
	if err != nil {
		return other
	}
	after, err := json.Exact(rules.Line(to))
	if err != nil {
		return other
	}
	var p patch
	p.compare("", before, after)
	if len(p.operations) == 0 || p.size > maxPatch {
		return other
	}
	return Change{Patch: p.operations}
}
