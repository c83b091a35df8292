package trace

import (
	"github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/internal/redact"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// A change is what a stage changed: a JSON patch (RFC 6902), or the sizes if a patch would
// be too large or one of the two is not JSON.
type change struct {
	Patch []operation `json:"patch,omitempty"`
	Bytes *sizes      `json:"bytes,omitempty"`
}

type sizes struct {
	From int `json:"from"`
	To   int `json:"to"`
}

const (
	maxCompared = 256 << 10 // bytes of a message
	maxPatch    = 16 << 10  // bytes of the paths and values of a patch
)

// changeOf compares the input and output of a stage, both without secrets.
func changeOf(s pipeline.Step, rules redact.Rules) change {
	var from, to []byte
	if s.From != nil {
		from = s.From.Line()
	}
	to = s.To.Line()
	other := change{Bytes: &sizes{len(from), len(to)}}
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
	return change{Patch: p.operations}
}
