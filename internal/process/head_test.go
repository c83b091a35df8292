package process

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/matryer/is"
)

func TestHeadKeepsTheBeginning(t *testing.T) {
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
		{"more at once", 5, []string{"abcdefgh"}, "abcde", true},
		{"more in parts", 5, []string{"abcd", "efgh", "i"}, "abcde", true},
		{"no room", 0, []string{"abc"}, "", true},
		{"less than no room", -1, []string{"abc"}, "", true},
		{"a character cut in two", 5, []string{"abcdä"}, "abcd", true},
		{"the last of four bytes missing", 5, []string{"ab🙂"}, "ab", true},
		{"a whole character", 6, []string{"abcdäö"}, "abcdä", true},
		{"half a character that was written so", 9, []string{"ab\xc3"}, "ab\xc3", false},
		{"no UTF-8", 3, []string{"\xff\xfe\xfd\xfc"}, "\xff\xfe\xfd", true},
		{"only continuation bytes", 6, []string{strings.Repeat("\x80", 9)}, strings.Repeat("\x80", 6), true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := is.New(t)
			h := Head{Limit: tt.limit}
			var total int64
			for _, s := range tt.in {
				n, err := h.Write([]byte(s))
				is.NoErr(err)
				is.Equal(n, len(s)) // all is taken
				total += int64(n)
			}
			is.Equal(h.Text(), tt.want)
			is.Equal(h.Total(), total)
			is.Equal(h.Truncated(), tt.cut)
		})
	}
}

func TestHeadGrowsOnlyAsNeeded(t *testing.T) {
	is := is.New(t)
	h := Head{Limit: 1 << 30}
	h.Write([]byte("a few bytes"))
	is.True(held(&h) <= 512) // not the limit

	h = Head{Limit: 100_000}
	for range 300 {
		h.Write(make([]byte, 777))
		is.True(held(&h) <= h.Limit)
	}
	is.Equal(len(h.Bytes()), h.Limit)
	is.Equal(h.Total(), int64(300*777))
}

// held is how much memory a Head has.
func held(h *Head) int { return cap(h.kept) }

func TestALongHeadIsOneText(t *testing.T) {
	is := is.New(t)
	var want strings.Builder
	h := Head{Limit: 1 << 20}
	for i := 0; want.Len() < 1<<20+5000; i++ {
		part := strings.Repeat(string(rune('a'+i%26)), 1+i%3000)
		h.Write([]byte(part))
		want.WriteString(part)
		is.True(held(&h) <= h.Limit)
	}
	is.Equal(h.Total(), int64(want.Len()))
	is.True(h.Truncated())
	is.Equal(h.Text(), want.String()[:1<<20])
	is.Equal(string(h.Bytes()), want.String()[:1<<20])
}

func TestTheFirstByteOfAHeadIsThatBehindWhiteSpace(t *testing.T) {
	is := is.New(t)
	h := Head{Limit: 1 << 20}
	is.Equal(h.First(), byte(0))
	h.Write([]byte(strings.Repeat(" \n", 100_000)))
	is.Equal(h.First(), byte(0))
	h.Write([]byte("{}"))
	is.Equal(h.First(), byte('{'))
}

func FuzzHeadAndTail(f *testing.F) {
	f.Add("some text", uint8(5), uint8(2))
	f.Add("äöü€🙂", uint8(7), uint8(3))
	f.Add("\x80\x80\x80\x80\x80\xf0\x9f\x99", uint8(6), uint8(1))
	f.Fuzz(func(t *testing.T, s string, limit, step uint8) {
		n, k := int(limit), max(1, int(step))
		head, tail := Head{Limit: n}, Tail{Limit: n}
		for i := 0; i < len(s); i += k {
			part := []byte(s[i:min(len(s), i+k)])
			head.Write(part)
			tail.Write(part)
		}
		if head.Total() != int64(len(s)) || tail.Total() != int64(len(s)) {
			t.Fatalf("counted %d and %d of %d", head.Total(), tail.Total(), len(s))
		}
		kept := min(n, len(s))
		if got, whole := head.Text(), s[:kept]; !strings.HasPrefix(whole, got) || len(whole)-len(got) > 3 || utf8.ValidString(s) && !utf8.ValidString(got) {
			t.Errorf("head of %q is %q", s, got)
		}
		if got, whole := tail.Text(), s[len(s)-kept:]; !strings.HasSuffix(whole, got) || len(whole)-len(got) > 3 || utf8.ValidString(s) && !utf8.ValidString(got) {
			t.Errorf("tail of %q is %q", s, got)
		}
		if held(&head) > n || cap(tail.kept) > n {
			t.Errorf("%d and %d bytes for a limit of %d", held(&head), cap(tail.kept), n)
		}
	})
}
