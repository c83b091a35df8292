package schema_test

import (
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/schema"
)

// typical is the inputSchema of a typical tool. exactSchema has a keyword that makes it search its metaschema.
const (
	typical = `{
  "type": "object",
  "properties": {
    "path": {"type": "string", "description": "File to open", "minLength": 1, "maxLength": 4096},
    "mode": {"type": "string", "enum": ["read", "write", "append"]},
    "options": {
      "type": "object",
      "properties": {"recursive": {"type": "boolean"}, "depth": {"type": "integer", "minimum": 0, "maximum": 10}},
      "required": ["depth"],
      "additionalProperties": false
    },
    "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 4},
    "name": {"type": "string", "pattern": "^[a-z]+$"}
  },
  "required": ["path", "mode"]`
	plainSchema  = typical + `}`
	closedSchema = typical + `, "additionalProperties": false}`
	exactSchema  = typical + `, "additionalProperties": false, "unevaluatedProperties": true}`

	goodCall = `{"path": "/var/log/syslog", "mode": "append", "options": {"recursive": true, "depth": 3}, "tags": ["a", "b", "c"], "name": "syslog"}`
	badCall  = `{"mode": "delete", "options": {"recursive": "true", "depth": 99, "deep": 1}, "tags": ["a", 2, "c", "d", "e"], "name": "Sys log", "force": true}`
)

func BenchmarkCompile(b *testing.B) {
	for _, bench := range [...]struct{ name, schema string }{{"quick check", plainSchema}, {"metaschema", exactSchema}} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := schema.Compile([]byte(bench.schema)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkValidate(b *testing.B) {
	for _, bench := range [...]struct{ name, schema, doc string }{
		{"conforming", plainSchema, goodCall},
		{"with 8 faults", plainSchema, badCall},
		{"unevaluated, conforming", exactSchema, goodCall},
		{"unevaluated, with 9 faults", exactSchema, badCall},
	} {
		b.Run(bench.name, func(b *testing.B) {
			is := is.New(b)
			s, err := schema.Compile([]byte(bench.schema))
			is.NoErr(err)
			doc := []byte(bench.doc)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := s.Validate(b.Context(), doc); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
