package process

import (
	"fmt"
	"strings"
	"testing"

	"github.com/matryer/is"
)

// written is a head to which a text was written.
func written(limit int, text string) *Head {
	h := &Head{Limit: limit}
	h.Write([]byte(text))
	return h
}

func TestCarriageReturnsAndAByteOrderMarkAreTakenOut(t *testing.T) {
	long := strings.Repeat("x", 768<<10)
	for name, c := range map[string]struct{ in, want string }{
		"nothing":                  {"", ""},
		"nothing to take":          {"a\nb\n", "a\nb\n"},
		"lines of Windows":         {"a\r\nb\r\n", "a\nb\n"},
		"a return too many":        {"a\r\r\nb", "a\nb"},
		"at the end":               {"a\r", "a"},
		"a progress bar":           {"10%\r20%\rdone\r\n", "10%\n20%\ndone\n"},
		"only returns":             {"\r\r\r", ""},
		"a byte order mark":        {"\ufeffa", "a"},
		"a mark that is not first": {"a\ufeff", "a\ufeff"},
		"a mark alone":             {"\ufeff", ""},
		"a long text":              {long + "\r\n" + long + "\r" + long, long + "\n" + long + "\n" + long},
	} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			h := written(16<<20, c.in)
			h.Plain()
			is.Equal(h.Text() == c.want, true)
			is.Equal(h.Total(), int64(len(c.want)))
			is.True(!h.Truncated())
		})
	}
}

func TestALineEndThatIsWrittenInTwoPartsIsOne(t *testing.T) {
	is := is.New(t)
	for before := range 5 {
		h := &Head{Limit: 1 << 20}
		text := strings.Repeat("x", 64<<10-before) + "\r\n" + strings.Repeat("y", 10)
		h.Write([]byte(text[:64<<10-before]))
		h.Write([]byte("\r"))
		h.Write([]byte("\n" + strings.Repeat("y", 10)))
		h.Plain()
		is.Equal(h.Text() == strings.ReplaceAll(text, "\r", ""), true)
	}
}

func TestATextThatWasCutStaysCutWithoutItsReturns(t *testing.T) {
	is := is.New(t)
	h := written(5, "a\r\nb\r\nc")
	h.Plain()
	is.Equal(h.Text(), "a\nb")
	is.True(h.Truncated())
	is.Equal(h.Total(), int64(7)) // as many as were written
}

func TestTheFirstByteThatIsNotUTF8IsFound(t *testing.T) {
	for _, c := range []struct {
		text string
		want string
	}{
		{"", "-1 00"},
		{"äöü €", "-1 00"},
		{"Stra\xdfe", "4 df"},
		{"\x89PNG", "0 89"},
		{"end\xc3", "3 c3"},
		{"a\ufffdb", "-1 00"}, // somebody else's, and valid
	} {
		is := is.New(t)
		at, b := written(1<<10, c.text).NotUTF8()
		is.Equal(fmt.Sprintf("%d %02x", at, b), c.want)
	}
}

func TestCharactersOfLongTextsAreWhole(t *testing.T) {
	is := is.New(t)
	for before := range 6 {
		start := strings.Repeat("x", 64<<10-before)
		at, _ := written(1<<20, start+"€🙂€"+strings.Repeat("y", 256<<10)).NotUTF8()
		is.Equal(at, -1)
		at, b := written(1<<20, start+"€🙂\xe2\x82y"+strings.Repeat("y", 256<<10)).NotUTF8()
		is.Equal(at, len(start)+7)
		is.Equal(b, byte(0xe2))
	}
	at, _ := written(4, "abc€").NotUTF8()
	is.Equal(at, -1) // cut in two by the limit, not by its author
}
