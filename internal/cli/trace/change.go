package trace

import (
	"bytes"
	"encoding/json"

	"github.com/wI2L/jsondiff"

	"github.com/mcp-bash/mcp-bash/v2/internal/redact"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// A change is what a stage changed: a JSON patch (RFC 6902), or sizes where a patch would
// be too large or one of the two is not JSON.
type change struct {
	Patch jsondiff.Patch `json:"patch,omitempty"`
	Bytes *sizes         `json:"bytes,omitempty"`
}

type sizes struct {
	From int `json:"from"`
	To   int `json:"to"`
}

const (
	maxCompared = 256 << 10 // bytes of a message
	maxPatch    = 16 << 10  // bytes of a patch
)

// changeOf compares what a stage got with what it made of it, both without secrets.
func changeOf(s pipeline.Step, rules redact.Rules) change {
	var from, to []byte
	if s.From != nil {
		from = s.From.Line()
	}
	to = s.To.Line()
	other := change{Bytes: &sizes{len(from), len(to)}}
	if len(from) > maxCompared || len(to) > maxCompared || !json.Valid(from) || !json.Valid(to) {
		return other
	}
	patch, err := jsondiff.CompareJSON(rules.Line(from), rules.Line(to), jsondiff.UnmarshalFunc(exact))
	if err != nil || len(patch) == 0 {
		return other
	}
	if text, err := json.Marshal(patch); err != nil || len(text) > maxPatch {
		return other
	}
	return change{Patch: patch}
}

// exact reads numbers as they are spelled.
func exact(text []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return d.Decode(v)
}
