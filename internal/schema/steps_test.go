package schema_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/schema"
)

// list returns n items separated by commas.
func list(n int, item func(int) string) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(item(i))
	}
	return b.String()
}

func TestLargeDocumentsOfUsualSchemasAreValidated(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ schema, doc string }{
		"numbers":         {`{"items":{"type":"number"}}`, "[" + list(1_500_000, func(int) string { return "1.5" }) + "]"},
		"records":         {`{"items":{"type":"object","required":["id"],"properties":{"id":{"type":"integer"},"name":{"type":"string","pattern":"^n"},"kind":{"enum":["a","b","c"]}}}}`, "[" + list(100_000, func(i int) string { return fmt.Sprintf(`{"id":%d,"name":"n%[1]d","kind":"b"}`, i) }) + "]"},
		"few with a long": {`{"properties":{"lang":{"enum":[` + list(5_000, func(i int) string { return fmt.Sprintf(`"l%d"`, i) }) + `]},"text":{"type":"string"}}}`, `{"lang":"l4999","text":"` + strings.Repeat("x", 3_000_000) + `"}`},
		"unique items":    {`{"uniqueItems":true}`, "[" + list(200_000, func(i int) string { return fmt.Sprint(i) }) + "]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			is := is.New(t)
			s, err := schema.Compile([]byte(c.schema))
			is.NoErr(err)
			faults, err := s.Validate(t.Context(), []byte(c.doc))
			is.NoErr(err)
			is.Equal(len(faults), 0)
		})
	}
}
