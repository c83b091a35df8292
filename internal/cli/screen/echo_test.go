package screen

import (
	"io"
	"testing"

	"github.com/matryer/is"
	"golang.org/x/term"
)

// edited returns the row that is drawn when keys were pressed, and the column of the cursor.
func edited(t *testing.T, keys, prompt string, columns int) (row string, cursor int) {
	t.Helper()
	in, press := io.Pipe()
	var line typed
	editor := term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{in, writerFunc(func(b []byte) { line.echo(b) })}, "")
	if err := editor.SetSize(endless, 1); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = editor.ReadLine() // it ends with the keys
	}()
	_, _ = io.WriteString(press, keys)
	press.Close()
	<-ended
	return line.row(prompt, columns)
}

type writerFunc func([]byte)

func (f writerFunc) Write(b []byte) (int, error) { f(b); return len(b), nil }

func TestTheRowIsOneLineWhateverIsTyped(t *testing.T) {
	for _, c := range []struct {
		keys    string
		columns int
		row     string
		cursor  int
	}{
		{"", 20, "> ", 2},
		{"hello", 20, "> hello", 7},
		{"日本語", 20, "> 日本語", 8},
		{"日本語\x1b[D", 20, "> 日本語", 6},     // left
		{"日本語\x1b[D\x7f", 20, "> 日語", 4},  // and backspace
		{"👨‍👩‍👧‍👦!", 20, "> 👨‍👩‍👧‍👦!", 5}, // one family
		{"one two\x17", 20, "> one ", 6},  // ctrl-w
		{"a line that is too long for it", 20, "> … too long for it", 19},
		{"a line that is too long for it\x01", 20, "> a line that is to…", 2}, // ctrl-a
		{"日本語日本語日本語", 12, "> …語日本語", 11},
		{"gone\x15", 20, "> ", 2}, // ctrl-u
	} {
		is := is.New(t)
		row, cursor := edited(t, c.keys, "> ", c.columns)
		is.Equal(row, c.row)
		is.Equal(cursor, c.cursor)
	}
}
