package trace

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/wI2L/jsondiff"

	"github.com/mcp-bash/mcp-bash/v2/internal/redact"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// A change is what a stage changed: a JSON patch (RFC 6902), or the sizes if a patch would
// be too large or one of the two is not JSON.
type change struct {
	Patch []operation `json:"patch,omitempty"`
	Bytes *sizes      `json:"bytes,omitempty"`
}

// An operation is an operation of a patch, with its members in readable order.
type operation struct {
	Op    string          `json:"op"`
	From  string          `json:"from,omitempty"`
	Path  string          `json:"path"`
	Value json.RawMessage `json:"value,omitempty"`
}

type sizes struct {
	From int `json:"from"`
	To   int `json:"to"`
}

const (
	maxCompared = 256 << 10 // bytes of a message
	maxPatch    = 16 << 10  // bytes of a patch
)

// changeOf compares the input and output of a stage, both without secrets.
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
	text, err := json.Marshal(patch)
	if err != nil || len(text) > maxPatch {
		return other
	}
	var c change
	if json.Unmarshal(text, &c.Patch) != nil {
		return other
	}
	return c
}

func (o operation) String() string {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	_ = e.Encode(o) // a decoded value can be encoded
	return strings.TrimSpace(text.String())
}

// exact reads numbers as they are spelled.
func exact(text []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return d.Decode(v)
}
