package process

import (
	"strings"
	"testing"

	"github.com/matryer/is"
)

func TestTailKeepsTheEnd(t *testing.T) {
	for _, tt := range []struct {
		name  string
		limit int
		in    []string
		want  string
		cut   bool
	}{
		{"nothing", 5, nil, "", false},
		{"less", 5, []string{"ab", "c"}, "abc", false},
		{"exactly", 5, []string{"ab", "cde"}, "abcde", false},
		{"more at once", 5, []string{"abcdefgh"}, "defgh", true},
		{"more in parts", 5, []string{"abcd", "efgh", "i"}, "efghi", true},
		{"much more after a little", 5, []string{"ab", "cdefghijklmnop"}, "lmnop", true},
		{"byte by byte", 3, strings.Split("abcdefgh", ""), "fgh", true},
		{"no room", 0, []string{"abc"}, "", true},
		{"less than no room", -1, []string{"abc"}, "", true},
		{"a character cut in two", 5, []string{"äabcd"}, "abcd", true},
		{"the first of four bytes missing", 5, []string{"🙂ab"}, "ab", true},
		{"nothing but the end of a character", 3, []string{"🙂"}, "", true},
		{"a whole character", 6, []string{"öäabcd"}, "äabcd", true},
		{"half a character that was written so", 9, []string{"\xa4ab"}, "\xa4ab", false},
		{"only continuation bytes", 6, []string{strings.Repeat("\x80", 9)}, strings.Repeat("\x80", 6), true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			tail := Tail{Limit: tt.limit}
			var total int64
			for _, s := range tt.in {
				n, err := tail.Write([]byte(s))
				is.NoErr(err)
				is.Equal(n, len(s)) // all is taken
				total += int64(n)
			}
			is.Equal(tail.Text(), tt.want)
			is.Equal(tail.Total(), total)
			is.Equal(tail.Truncated(), tt.cut)
		})
	}
}
