package screen

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/matryer/is"
)

func TestTabCompletesWhatAllWordsHaveInCommon(t *testing.T) {
	offer := func(words ...string) func(string) ([]string, int) {
		return func(typed string) (fit []string, from int) {
			from = strings.LastIndexByte(typed, ' ') + 1
			for _, w := range words {
				if strings.HasPrefix(w, typed[from:]) {
					fit = append(fit, w)
				}
			}
			return fit, from
		}
	}
	for typed, c := range map[string]struct {
		words       []string
		line, shown string
	}{
		"gr":        {[]string{"greet", "list"}, "greet ", ""},
		"call re":   {[]string{"resize", "rename"}, "call re", "resize  rename"},
		"r":         {[]string{"resize", "rename"}, "re", ""},
		"greet na":  {[]string{"name="}, "greet name=", ""},
		"zzz":       {[]string{"greet"}, "zzz", ""},
		"call ":     {[]string{"über", "übel"}, "call übe", ""},
		"call übe":  {[]string{"über", "übel"}, "call übe", "über  übel"},
		"call é":    {[]string{"éa", "éb"}, "call é", "éa  éb"},
		"call x y ": {nil, "call x y ", ""},
	} {
		is := is.New(t)
		line, shown := complete(typed, offer(c.words...))
		is.Equal(line, c.line)
		is.Equal(shown, c.shown)
	}
}

func TestCtrlCCancelsOrEmptiesTheLine(t *testing.T) {
	is := is.New(t)
	working := false
	read := func(typed string) string {
		b, err := io.ReadAll(&keys{strings.NewReader(typed), func() bool { return working }})
		is.NoErr(err)
		return string(b)
	}
	is.Equal(read("plain"), "plain")
	is.Equal(read("a\x03b"), "a"+emptyLine+"b")
	is.Equal(read(strings.Repeat("\x03", 1000)), strings.Repeat(emptyLine, 1000))
	is.Equal(read("a\x1b[1~b\x1bOFc"), "a\x01b\x05c") // home and end
	working = true
	is.Equal(read("a\x03b"), "ab")
}

func TestWhatIsShownAlreadyIsNotWrittenAgainUnlessTheSizeChanges(t *testing.T) {
	is := is.New(t)
	out, err := os.Create(filepath.Join(t.TempDir(), "terminal"))
	is.NoErr(err)
	defer out.Close()
	written := func() string {
		text, err := os.ReadFile(out.Name())
		is.NoErr(err)
		return string(text)
	}
	s := &Screen{out: out}
	s.Prompt("> ")
	row := clearRow + "> " + right(2)
	is.Equal(written(), row)
	s.Prompt("> ")
	is.Equal(written(), row)
	s.resized()
	is.Equal(written(), row+row)
	_, err = s.Write([]byte("above\n"))
	is.NoErr(err)
	is.Equal(written(), row+row+clearRow+"above\r\n> "+right(2))
}
