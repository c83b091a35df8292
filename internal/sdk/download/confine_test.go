package download

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/matryer/is"
)

func TestADownloadFollowsTheSandboxOfItsTool(t *testing.T) {
	is := is.New(t)
	s := newSite(t, answer{body: "hello"})
	confined := false
	is.Equal(s.fetch(Request{Confine: func(put func() error) error { confined = true; return put() }}), "5 bytes")
	is.True(confined)
	is.NoErr(os.Remove(s.out))
	got := s.fetch(Request{Confine: func(func() error) error { return errors.New("not there") }})
	is.True(strings.HasPrefix(got, WriteError+": not there"))
	_, err := os.Stat(s.out)
	is.True(errors.Is(err, os.ErrNotExist)) // nothing is created where the tool cannot write
}
