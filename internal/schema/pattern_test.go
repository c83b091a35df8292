package schema_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/schema"
)

func TestPatternsAreThoseOfJavaScript(t *testing.T) {
	for _, test := range []struct{ pattern, matches, differs string }{
		{`^[a-z]+$`, "abc", "abc\n"},
		{`^\u0041$`, "A", "B"},
		{`^\u{1F600}$`, "😀", "x"},
		{`^\uD83D\uDE00$`, "😀", "x"},
		{`^\\u0041\u0041$`, `\u0041A`, "AA"},
		{`^[\u0000-\u001F]$`, "\t", "a"},
		{`^\/\-$`, "/-", `\/`},
		{`^\d$`, "1", "१"},
		{`^(?=.*\d)(?!.*\s).+$`, "a1", "a 1"},
		{`^(?!.*--)\u0061+$`, "aa", "--"},
		{`^(?!x)\uD83D\uDE00$`, "😀", "x"},
		{`(?<!a)b`, "b", "ab"},
		{`^(?<year>\d{4})-\k<year>$`, "2020-2020", "2020-2021"},
		{`^(a)\1$`, "aa", "ab"},
		{`^\p{L}+$`, "é", "1"},
		{`^\cC$`, "\x03", "C"},
		{`b`, "abc", "ac"},
		// The address, identifier and time patterns of zod.
		{`^(?!\.)(?!.*\.\.)([A-Za-z0-9_'+\-\.]*)[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9\-]*\.)+[A-Za-z]{2,}$`, "a.b@example.com", "a..b@example.com"},
		{`^([0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[1-8][0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}|00000000-0000-0000-0000-000000000000)$`, "123e4567-e89b-12d3-a456-426614174000", "123e4567"},
	} {
		t.Run(test.pattern, func(t *testing.T) {
			is := is.New(t)
			raw, err := json.Marshal(map[string]string{"pattern": test.pattern})
			is.NoErr(err)
			s, err := schema.Compile(raw)
			is.NoErr(err)

			matches, err := json.Marshal(test.matches)
			is.NoErr(err)
			faults, err := s.Validate(t.Context(), matches)
			is.NoErr(err)
			is.Equal(len(faults), 0) // matches

			differs, err := json.Marshal(test.differs)
			is.NoErr(err)
			faults, err = s.Validate(t.Context(), differs)
			is.NoErr(err)
			is.Equal(len(faults), 1)                                                                // does not match
			is.True(strings.Contains(faults[0].Message, test.pattern[:min(len(test.pattern), 60)])) // quotes the pattern as it was written
		})
	}
}

func TestAPatternThatBacktracksWithoutEndFailsSoon(t *testing.T) {
	is := is.New(t)
	for _, raw := range []string{
		`{"pattern":"^(?=a)(a+)+$"}`,
		`{"not":{"pattern":"^(?=a)(a+)+$"}}`,
		`{"propertyNames":{"pattern":"^(?=a)(a+)+$"}}`,
	} {
		s, err := schema.Compile([]byte(raw))
		is.NoErr(err)
		evil := `"` + strings.Repeat("a", 60) + `!"`
		if strings.Contains(raw, "propertyNames") {
			evil = `{` + evil + `:1}`
		}
		faults, err := s.Validate(t.Context(), []byte(evil))
		is.Equal(len(faults), 0)
		is.True(err != nil) // not judged
		is.Equal(err.Error(), "the pattern ^(?=a)(a+)+$ takes too long on this document")
	}
}
