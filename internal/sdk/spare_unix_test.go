//go:build unix

package sdk

import (
	"context"
	"testing"

	"github.com/matryer/is"
)

func TestTheNextChannelUsesPipesCreatedAhead(t *testing.T) {
	is := is.New(t)
	var s Server
	defer s.Close()
	s.Prepare()
	made := s.spare.pipes
	is.True(made != nil)
	s.Prepare()
	is.True(s.spare.pipes == made) // one is enough
	first, err := s.Open(context.Background(), Call{Dir: t.TempDir(), ReadByCaller: true})
	is.NoErr(err)
	is.True(first.pipes == made)
	second, err := s.Open(context.Background(), Call{Dir: t.TempDir(), ReadByCaller: true})
	is.NoErr(err)
	is.True(second.pipes != made) // calls do not share pipes
	first.End()
	first.Free()
	second.Close()
}

func TestAClosedServerKeepsNoPipes(t *testing.T) {
	is := is.New(t)
	var s Server
	s.Prepare()
	s.Close()
	s.Prepare()
	is.True(s.spare.pipes == nil)
	c, err := s.Open(context.Background(), Call{Dir: t.TempDir(), ReadByCaller: true}) // a later call creates its own
	is.NoErr(err)
	c.Close()
}
