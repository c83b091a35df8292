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

// Compiled code keeps each pattern that it has used: a cached one would fill the memory.
func TestAFilterThatBuildsPatternsFromItsInputIsNotCached(t *testing.T) {
	for filter, kept := range map[string]bool{
		`.a`:                                       true,
		`test("a"), test("a"; "i"), match("a")`:    true,
		`sub("a"; .b), gsub("a"; "\(.b)"; "g")`:    true,
		`split(.a)`:                                true, // on a text
		`scan("a"; null)`:                          true,
		`test(.a)`:                                 false,
		`test("a\(.a)")`:                           false,
		`test("a"; .flags)`:                        false,
		`test(["a", .flags])`:                      false,
		`def f($re): .a | test($re); f("a")`:       false,
		`split("a"; .flags)`:                       false,
		`.[] |= if gsub($p; "") then 1 else 2 end`: false,
		`"\(.a | capture(.b))"`:                    false,
		`sub("a"; "b"; .c)`:                        false,
	} {
		t.Run(filter, func(t *testing.T) {
			is := is.New(t)
			var c Cache
			for range 2 {
				_, err := c.compile(filter, []Var{{Name: "p"}})
				is.NoErr(err)
			}
			is.Equal(len(c.programs) == 1, kept)
		})
	}
}
