package jq

import (
	"strings"
	"testing"
	"time"

	"github.com/matryer/is"
)

func TestExpressionsAreThoseOfOniguruma(t *testing.T) {
	for filter, want := range map[string]string{
		`"ab" | [match("(?<x>a)(b)").captures[].name]`:                    `["x",null]`, // in the order of the text
		`"ab" | [match("(a)(?<x>b)").captures[] | [.name, .string]]`:      `[[null,"a"],["x","b"]]`,
		`"ab" | capture("(?<Pa>a)(?P<Pb>b)")`:                             `{"Pa":"a","Pb":"b"}`,
		`"aa" | test("(a)\\1"), test("(?<x>a)\\k<x>")`:                    "true\ntrue",
		`"ab" | capture("(?<x>a)|(?<x>b)"; "g").x`:                        "\"a\"\n\"b\"", // two groups of one name
		`"a1 _" | [match("[[:alpha:]]|[^[:alnum:]_]"; "g").string]`:       `["a"," "]`,
		`"x]y" | [match("[]x]"; "g").offset]`:                             `[0,1]`,
		`"f0z" | [match("\\h"; "g").offset], [match("\\H").offset]`:       "[0,1]\n[2]",
		`"ab" | test("a(?=b)"), test("(?<!a)b"), test("(?:a)b")`:          "true\nfalse\ntrue",
		`"(a)" | test("\\(a\\)"), test("[(]a[)]")`:                        "true\ntrue",
		`"a\nb" | test("^b"), test("a$"), test("a.b"), test("a.b";"p")`:   "false\nfalse\nfalse\ntrue",
		`"aé😀b" | match("😀.") | .offset, .length`:                         "2\n2",
		`"éa" | test("^\\w\\w$"), test("É"; "i")`:                         "true\ntrue",
		`"ab" | [match("";"g").offset], [match("x*"; "gn").offset]`:       "[0,1]\n[]",
		`"abab" | [match(["b", "g"]).offset], test(["B", "i"])`:           "[1,3]\ntrue",
		`"ab" | [match("a # (not a group)\n(b)"; "x").captures[].string]`: `["b"]`,
		`"ab" | [match("(?#(not a group)(b)").captures[].string]`:         `["b"]`,
		`"a" | try test("a"; "q") catch .`:                                `"q is not a valid modifier string"`,
		`"a" | try test("(a") catch .`:                                    `"(a is not a valid regex: missing closing )"`,
		`"a" | try test(1) catch .`:                                       `"number cannot be matched, as it is not a string"`,
		`1 | try test("a") catch .`:                                       `"number (1) cannot be matched, as it is not a string"`,
	} {
		t.Run(filter, func(t *testing.T) {
			is := is.New(t)
			out, err, code := run("", "-nc", filter)
			is.Equal(err, "")        // no error
			is.Equal(out, want+"\n") // as jq
			is.Equal(code, 0)        // no error
		})
	}
}

func FuzzExpressions(f *testing.F) {
	for _, expr := range []string{`a(b|c)*`, `(?<x>a)\k<x>`, `[[:alpha:]]`, `[]a]`, `[^]`, `(?<`, `\`, `\k<`, `(?P<n>a)\1`, `[\`, `[[:`} {
		f.Add(expr, "gix", "abc é")
	}
	f.Fuzz(func(t *testing.T, expr, flags, text string) {
		fs := &functions{orders: &orders{}, patterns: patterns{}}
		p, err := fs.patterns.find(expr, flags)
		if err != nil {
			return
		}
		p.MatchTimeout = 10 * time.Millisecond
		found, ok := fs.matches(text, []any{expr, flags}).([]any)
		if !ok {
			return // it took too long
		}
		parts := between(text, found)
		if len(parts) != len(found)+1 {
			t.Fatalf("%d matches have %d parts between them", len(found), len(parts))
		}
	})
}

// Filters can call what only the prelude is meant to call.
func TestOddCallsAreErrorsAndNothingWorse(t *testing.T) {
	for _, call := range []string{
		"_ordered", "_to_entries", "_entry_key", "_entry_value", "_collect", "_tostream", "_assembly | 1", "_feed(1)", "_delpaths(1)",
		"_shape(1)", "_shape([1])", "_inherited(1; 2)", "_merged(1; 2)", "_deep_merged([]; {})", "_added(1)", "_tojson", "_tostring",
		"_fromjson", "_base32", "_base32d", "_test(1; 2)", "_matches({}; [])", "_named", "_split(1; 2)", "_split_at(1)", "_split_at([1])",
	} {
		t.Run(call, func(t *testing.T) {
			is := is.New(t)
			_, _, code := run(`null 1 "a" [1] {"a":1,"b":2} [["a"]]`, "-c", "try ("+call+") catch empty")
			is.Equal(code, 0) // errors are caught
		})
	}
}

func TestAnExpressionThatBacktracksWithoutEndIsAnError(t *testing.T) {
	is := is.New(t)
	begun := time.Now()
	_, err, code := run(`"`+strings.Repeat("a", 40)+`b"`, `test("^(a+)+$")`)
	is.Equal(code, exitFailed)
	is.True(strings.Contains(err, "match timeout")) // what is wrong
	is.True(time.Since(begun) < 20*time.Second)
}
