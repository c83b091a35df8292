package schema_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/schema"
)

// attacks are schemas and documents that take long to validate, each for another reason.
func attacks() map[string]struct{ schema, doc string } {
	constants := list(200, func(i int) string { return fmt.Sprintf(`{"const":"c%d"}`, i) })
	names := list(300, func(i int) string { return fmt.Sprintf(`"a.*b.*%d":{"type":"string"}`, i) })
	texts := "[" + list(100_000, func(int) string { return `"x"` }) + "]"
	return map[string]struct{ schema, doc string }{
		"alternatives":          {`{"items":{"anyOf":[` + constants + `]}}`, texts},
		"names":                 {`{"patternProperties":{` + names + `}}`, "{" + list(5_000, func(i int) string { return fmt.Sprintf(`"aab%d":1`, i) }) + "}"},
		"unique items":          {`{"uniqueItems":true}`, "[" + list(600_000, func(i int) string { return fmt.Sprint(i) }) + "]"},
		"one long value":        {`{"items":{"const":[` + list(1_000, func(int) string { return "1" }) + `]}}`, "[[" + list(200_000, func(int) string { return "1" }) + "]]"},
		"a long text":           {`{"allOf":[` + list(100, func(i int) string { return fmt.Sprintf(`{"pattern":"x.*y%d"}`, i) }) + `]}`, `"` + strings.Repeat("x", 1_000_000) + `"`},
		"a large pattern":       {`{"pattern":"(x?){1000}y"}`, `"` + strings.Repeat("x", 1_000_000) + `"`},
		"patterns that go back": {`{"items":{"pattern":"^(?=a)(a|aa)+$"}}`, "[" + list(20_000, func(int) string { return `"` + strings.Repeat("a", 22) + `!"` }) + "]"},
		"itself":                {doubling, strings.Repeat(`{"b":1,"kid":`, 90) + `{"a":2}` + strings.Repeat(`}`, 90)},
	}
}

// A countdown is a context that ends after a number of checks.
type countdown struct {
	context.Context
	cancel context.CancelCauseFunc
	looks  int
}

var errGone = errors.New("the client has gone")

func (c *countdown) Err() error {
	if c.looks--; c.looks == 0 {
		c.cancel(errGone)
	}
	return c.Context.Err()
}

func TestAValidationEndsWithItsContextAtAnyPoint(t *testing.T) {
	for name, attack := range attacks() {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			s, err := schema.Compile([]byte(attack.schema))
			is.NoErr(err)
			ctx, cancel := context.WithCancelCause(t.Context())
			_, err = s.Validate(&countdown{ctx, cancel, 1}, []byte(attack.doc))
			is.True(errors.Is(err, errGone)) // the context was checked during validation
			is.Equal(err.Error(), "not validated: the client has gone")
		})
	}
}

func TestAValidationWithoutADeadlineEnds(t *testing.T) {
	t.Parallel()
	for name, attack := range attacks() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			is := is.New(t)
			s, err := schema.Compile([]byte(attack.schema))
			is.NoErr(err)
			_, err = s.Validate(t.Context(), []byte(attack.doc))
			if err != nil {
				is.True(strings.Contains(err.Error(), "too much work") || strings.Contains(err.Error(), "takes too long"))
			}
		})
	}
}
