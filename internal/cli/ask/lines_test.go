package ask

import (
	"testing"

	"github.com/matryer/is"
)

func TestWhatAToolWritesIsShownInWholeLines(t *testing.T) {
	is := is.New(t)
	var shown []string
	l := &lineWriter{w: writerFunc(func(b []byte) { shown = append(shown, string(b)) })}
	for _, part := range []string{"a", "b\nc\x1b[2J", "d"} {
		_, err := l.Write([]byte(part))
		is.NoErr(err)
	}
	l.Flush()
	l.Flush()
	is.Equal(shown, []string{"ab\n", "c[2Jd\n"})
}

type writerFunc func([]byte)

func (f writerFunc) Write(b []byte) (int, error) { f(b); return len(b), nil }
