package schema_test

import (
	"encoding/json"
	"math/rand/v2"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/schema"
)

func TestCheckRefusesWhatCompileRefuses(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	g := generator{rand.New(rand.NewPCG(5, 5))}
	quick := 0
	for range 5_000 {
		s := g.schema(3)
		if g.IntN(2) == 0 { // break it
			pick := []string{"type", "required", "enum", "items", "properties", "minLength", "description", "additionalProperties", "minimum", "uniqueItems", "$ref", "pattern"}
			s[pick[g.IntN(len(pick))]] = g.value(2)
		}
		raw, err := json.Marshal(s)
		is.NoErr(err)
		_, want := schema.Compile(raw)
		got := schema.Check(raw)
		if (got == nil) != (want == nil) {
			t.Fatalf("%s: got %v, want %v", raw, got, want)
		}
		if schema.Sound(raw) {
			quick++
		}
	}
	is.True(quick > 100) // both ways are tested
	is.True(schema.Sound([]byte(`{"type":"object","properties":{"path":{"type":"string","description":"where"},"depth":{"type":"integer","minimum":0,"default":3},"tags":{"type":"array","items":{"type":"string","enum":["a","b"]}}},"required":["path"],"additionalProperties":false}`)))
}
