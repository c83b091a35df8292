package filter

import (
	"fmt"
	"strings"
	"testing"

	"github.com/matryer/is"
)

// What runs in its caller's goroutine holds it until the end of a step.
func TestAFilterWithAStepThatMayTakeLongRunsBesideItsCaller(t *testing.T) {
	for filter, lasts := range map[string]bool{
		`.arguments.command | test("rm -rf") | not`: false,
		`.a | contains(".."), index("x")`:           false,
		`.n - 1, .n -= 2, -.n, (.a | length - 3)`:   false,
		`[.[] | select(.a == 1)] | sort | unique`:   false,
		`. - [1]`:                              true,
		`.a -= .b`:                             true,
		`def f: map(. - $p); f`:                true,
		`contains(["a"]), "\(.a | index(.b))"`: true,
		`.a | gsub("a"; "b")`:                  true,
		`fromjson + 1`:                         true,
		`if inside($p) then transpose else tonumber end`: true,
	} {
		t.Run(filter, func(t *testing.T) {
			is := is.New(t)
			p, err := Compile(filter, "p")
			is.NoErr(err)
			is.Equal(p.lasts, lasts)
		})
	}
}

func TestAProgramThatMakesPatternsIsCompiledAnewAfterManyInputs(t *testing.T) {
	is := is.New(t)
	p, err := Compile(`test($p)`, "p")
	is.NoErr(err)
	match := func(pattern string, size int) *Program {
		out, err := p.Run(t.Context(), "banana", size, pattern)
		is.NoErr(err)
		is.Equal(string(out[0].JSON()), fmt.Sprint(strings.Contains("banana", pattern)))
		return p.young.Load()
	}
	first := match("nan", 10)
	is.True(match("x", 10) == first)
	is.True(match("ban", maxSeen) != first)
	second := match("b", 10)
	for range 1024 {
		match("a", 10)
	}
	is.True(match("b", 10) != second) // also after many small ones
}
