package filter

import (
	"fmt"
	"strings"
	"testing"

	"github.com/matryer/is"
)

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
