package filter

import (
	"testing"

	"github.com/matryer/is"
)

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
