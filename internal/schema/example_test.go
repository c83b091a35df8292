package schema_test

import (
	"context"
	"fmt"

	"github.com/mcp-bash/mcp-bash/v2/internal/schema"
)

func Example() {
	s, err := schema.Compile([]byte(`{
		"type": "object",
		"properties": {
			"path":  {"type": "string"},
			"depth": {"type": "integer", "maximum": 10}
		},
		"required": ["path"],
		"additionalProperties": false
	}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	faults, err := s.Validate(context.Background(), []byte(`{"depth": 99, "paths": ["/tmp"]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, fault := range faults {
		fmt.Println(fault)
	}
	// Output:
	// missing required property "path"
	// at /depth: expected at most 10, got 99
	// at /paths: unexpected property "paths", allowed: "depth", "path"
}
