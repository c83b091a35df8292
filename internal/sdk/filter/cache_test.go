package filter

import (
	"testing"

	"github.com/matryer/is"
)

// Compiled code keeps each pattern that it has used: a cached one would fill the memory.
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
