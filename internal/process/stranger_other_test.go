//go:build !linux

package process

import (
	"bytes"
	"strings"
	"testing"

	"github.com/matryer/is"
)

// finished is a command that is over.
type finished struct{ family }

func (finished) wait() {}

func TestOutputEndsAlthoughAStrangerHoldsItsPipeOpen(t *testing.T) {
	is := is.New(t)
	var got bytes.Buffer
	s := &streams{}
	is.NoErr(s.prepare())
	from, to, err := newPipe()
	is.NoErr(err)
	defer to.Close() // not before the output has ended
	is.NoErr(s.attach(&output{name: "stdout", from: from, to: &got}))
	long := strings.Repeat("0123456789abcde\n", 3<<10)
	_, err = to.WriteString(long)
	is.NoErr(err)
	is.True(s.copyUntilEnd(finished{}) == nil)
	is.NoErr(s.drain(true))
	is.Equal(got.String() == long, true) // with all that was written
}
