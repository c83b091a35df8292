package filter_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/sdk/filter"
)

// run returns the output of "jq -rc", or the error.
func run(src, input string, vars ...filter.Var) string {
	out, err := filter.Run(context.Background(), src, []byte(input), vars...)
	lines := make([]string, len(out))
	for i, o := range out {
		lines[i] = string(o.Text())
	}
	if err != nil {
		lines = append(lines, "error: "+err.Error())
	}
	return strings.Join(lines, "\n")
}

func TestFiltersPrintWhatJqPrints(t *testing.T) {
	for _, test := range []struct{ filter, input, want string }{
		{`.name`, `{"name":"Ada"}`, "Ada"},
		{`.missing`, `{}`, "null"},
		{`.a // "d"`, `{"a":false}`, "d"},
		{`.list[]`, `{"list":[1,"two",{"b":1,"a":2}]}`, "1\ntwo\n" + `{"a":2,"b":1}`},
		{`empty`, `{}`, ""},
		{`.`, ` {"a" : [ 1 , 2 ] } `, `{"a":[1,2]}`},
		{`.`, `1 2 "x"`, "1\n2\nx"},
		{`.`, ``, ""},
		{``, `[1]`, "[1]"},
		{`.t`, `{"t":"a\nb\u0001<&>é😀"}`, "a\nb\u0001<&>é😀"},
		{`[.t]`, `{"t":"<&>é\u0001"}`, `["<&>é\u0001"]`},
		{`keys_unsorted`, `{"b":1,"a":2}`, `["a","b"]`},
		{`.a|toarray`, `{"a":1}`, `[1]`},
		{`.a|debug|debug("x")`, `{"a":1}`, `1`},
		{`env|length`, `{}`, "0"},
		{`1,2|if .==2 then halt else . end`, `{} {}`, "1"},
		{`"stop"|halt_error`, `{}`, "error: stop"},
		{`.a.b`, `{"a":1}`, `error: expected an object but got: number (1)`},
		{`.`, `{`, `error: the input is not JSON: unexpected EOF`},
		{`.a[`, `{}`, `error: ".a[" is not a jq filter: unexpected EOF`},
		{`input`, `1 2`, `error: "input" is not a jq filter: input(s)/0 is not allowed`},
	} {
		t.Run(test.filter, func(t *testing.T) {
			is := is.New(t)
			is.Equal(run(test.filter, test.input), test.want) // as jq
		})
	}
}

func TestNumbersKeepTheirLiterals(t *testing.T) {
	is := is.New(t)
	for _, n := range []string{"1.0", "1.10", "1e2", "1e999", "-0.0", "123456789012345678901234567890"} {
		is.Equal(run(`.n`, `{"n":`+n+`}`), n)               // unchanged
		is.Equal(run(`[.n]`, `{"n":`+n+`}`), "["+n+"]")     // also inside
		is.Equal(run(`.n`, long(`"n":`+n)), n)              // also in a long input
		is.Equal(run(`{n}`, long(`"n":`+n)), `{"n":`+n+`}`) // not taken by the shortcut
	}
}

func TestVariablesAreStringsNotCode(t *testing.T) {
	is := is.New(t)
	evil := filter.Var{Name: "k", Value: `x") | env #`}
	is.Equal(run(`.[$k]`, `{"x\") | env #":7}`, evil), "7")                                       // looked up as it is
	is.Equal(run(`[$k,$l]`, `0`, evil, filter.Var{Name: "l", Value: "1"})[:3], `["x`)             // several
	is.Equal(run(`$nope`, `0`), `error: "$nope" is not a jq filter: variable not defined: $nope`) // unknown
}

// long returns an object long enough for the shortcut.
func long(members string) string {
	return `{"pad":"` + strings.Repeat("x", 8<<10) + `",` + members + `}`
}

func TestTheShortcutForPathsGivesTheSameResult(t *testing.T) {
	for _, members := range []string{
		`"a":{"b":{"c":"deep"}}`,
		`"a":null`,
		`"a":{"b":1},"a":{"b":2}`,
		`"a":{"b":{"z":1,"a":[1.0,"\u00e9\ud800"]}}`,
		`"a":7`,
		`"a":{"b":"\u0041"} , "\u0061" : { "b" : true }`,
		`"b":1`,
	} {
		for _, path := range []string{".a", ".a.b", ".a.b.c", ".pad.a", ".nope"} {
			t.Run(path+" "+members, func(t *testing.T) {
				is := is.New(t)
				is.Equal(run(path, long(members)), run(path+"|.", long(members))) // the shortcut is invisible
			})
		}
	}
	for _, broken := range []string{long(`"a":1`) + " 2", long(`"a":1`) + "x", long(`"a":`), "[" + long(`"a":1`) + "]"} {
		is := is.New(t)
		is.Equal(run(".a", broken), run(".a|.", broken)) // including errors
	}
}

func FuzzPath(f *testing.F) {
	f.Add(`{"a":{"b":[1.0,"x"]}}`)
	f.Add(`{"a":{"b":1},"a":null}`)
	f.Add("{\"a\":\"\xff\",\"\xff\":1}")
	f.Add(`{"a":1} {"a":2}`)
	pad := strings.Repeat(" ", 4<<10)
	f.Fuzz(func(t *testing.T, input string) {
		for _, path := range []string{".a", ".a.b"} {
			fast, slow := run(path, pad+input), run(path+"|.", pad+input)
			if fast != slow {
				t.Errorf("%s of %q: %q by the shortcut, %q by the filter", path, input, fast, slow)
			}
		}
	})
}

func TestARunawayFilterIsStopped(t *testing.T) {
	for _, src := range []string{
		`def f: f; f`, `[range(1e12)]|length`, `last(repeat(1))`,
		`reduce range(1e12) as $i ({}; .["k\($i)"] = $i)`,
		`reduce range(1e12) as $i ({}; setpath(["k\($i)"]; $i))`,
		`reduce range(1e12) as $i ([]; . + [$i])`,
	} {
		t.Run(src, func(t *testing.T) {
			is := is.New(t)
			ctx, cancel := context.WithTimeoutCause(t.Context(), 20*time.Millisecond, errors.New("enough"))
			defer cancel()
			_, err := filter.Run(ctx, src, []byte(`0`))
			is.Equal(fmt.Sprint(err), "enough") // ends with the cause
		})
	}
}

func TestLongStringsAreKeptFromRegularExpressions(t *testing.T) {
	is := is.New(t)
	text := `"` + strings.Repeat("a", filter.MaxText+1) + `"`
	const refused = "error: a string of 16385 bytes is too long for regular expressions and tonumber, which take up to 16384"
	for _, src := range []string{`gsub("a";"b")`, `[match("a";"g")]`, `def f: scan("a"); f`, `split("a";"g")`, `"\(.|sub("a";"b"))"`, `tonumber`} {
		is.Equal(run(src, text), refused)                    // unchanged
		is.Equal(run(`.[]|`+src, `["b",`+text+`]`), refused) // and inside
	}
	is.Equal(run(`split("b")|length`, text), "1") // not a regular expression
	is.Equal(run(`test("b")`, text), "false")     // one match takes linear time
	is.Equal(run(`.match`, `{"match":`+text+`}`)[:3], "aaa")
	is.Equal(run(`gsub("a";"b")`, `"banana"`), "bbnbnb")
}

// A number of millions of digits would be converted for hours, by the smallest step.
func TestLongNumbersAreKeptFromFilters(t *testing.T) {
	is := is.New(t)
	digits := strings.Repeat("1", filter.MaxText)
	is.Equal(len(run(`. + 1`, digits)), filter.MaxText) // the longest
	const refused = "error: a number of 16385 characters is too long for filters, which take up to 16384"
	is.Equal(run(`. + 1`, digits+"1"), refused)
	is.Equal(run(`.n == 1`, `{"a":[],"n":[`+digits+`1]}`), refused) // also inside
	is.Equal(run(`length`, `"`+digits+`1"`), "16385")               // a string stays a string
}

func TestOneFilterRunsInManyPlacesAtOnce(t *testing.T) {
	is := is.New(t)
	var all sync.WaitGroup
	results := make([]string, 64)
	for i := range results {
		all.Go(func() { results[i] = run(`del(.a) | .b |= . + 1`, `{"a":1,"b":2}`) })
	}
	all.Wait()
	for _, r := range results {
		is.Equal(r, `{"b":3}`) // runs share nothing
	}
}

func BenchmarkRun(b *testing.B) {
	input := []byte(`{"user":{"name":"Ada","tags":["a","b","c"]},"count":12,"text":"a few words"}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := filter.Run(b.Context(), `.user.name`, input); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRunLong(b *testing.B) {
	input := []byte(`{"text":"` + strings.Repeat("a few words ", 900_000) + `","name":"Ada"}`)
	b.SetBytes(int64(len(input)))
	for b.Loop() {
		if _, err := filter.Run(b.Context(), `.name`, input); err != nil {
			b.Fatal(err)
		}
	}
}

func TestAFilterThatDoublesWithoutEndIsStopped(t *testing.T) {
	for _, f := range []string{`reduce range(60) as $_ ("x"; . + .)`, `reduce range(60) as $_ ([1]; . + .)`} {
		is := is.New(t)
		_, err := filter.Run(t.Context(), f, []byte("null"))
		is.True(err != nil)
		is.Equal(err.Error(), fmt.Sprintf("%q takes more than 128 MiB of memory", f))
	}
}
