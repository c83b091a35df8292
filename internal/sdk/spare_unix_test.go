//go:build unix

package sdk

import (
	"context"
	"testing"

	"github.com/matryer/is"
	"golang.org/x/sys/unix"
)

func TestTheNextChannelUsesPipesCreatedAhead(t *testing.T) {
	is := is.New(t)
	var s Server
	defer s.Close()
	s.Prepare()
	s.Prepare()
	is.Equal(len(s.spare.pipes), 1) // one is enough
	made := s.spare.pipes[0]
	first, err := s.Open(context.Background(), Call{Dir: t.TempDir()})
	is.NoErr(err)
	is.True(first.pipes == made)
	second, err := s.Open(context.Background(), Call{Dir: t.TempDir()})
	is.NoErr(err)
	is.True(second.pipes != made) // calls do not share pipes
	first.End(false)
	first.Free()
	second.Close()
}

func TestAClosedServerKeepsNoPipes(t *testing.T) {
	is := is.New(t)
	var s Server
	s.Prepare()
	s.Close()
	s.Prepare()
	is.Equal(len(s.spare.pipes), 0)
	c, err := s.Open(context.Background(), Call{Dir: t.TempDir()}) // a later call creates its own
	is.NoErr(err)
	c.Close()
}

func TestTheNextChannelUsesThePipesOfAToolThatIsGone(t *testing.T) {
	is := is.New(t)
	var s Server
	defer s.Close()
	first, err := s.Open(context.Background(), Call{Dir: t.TempDir()})
	is.NoErr(err)
	made := first.pipes
	first.End(true)
	first.Free()
	first.Free()
	second, err := s.Open(context.Background(), Call{Dir: t.TempDir()})
	is.NoErr(err)
	is.True(second.pipes == made)
	is.True(second.pipes.free()) // its helpers find the token in the lock
	second.End(false)            // something of its tool is left
	second.Free()
	is.Equal(len(s.spare.pipes), 0)
}

func TestPipesThatAToolHasNotLeftAsTheyWereAreClosed(t *testing.T) {
	for what, use := range map[string]func(p *pipes){
		"a request that was not read": func(p *pipes) { unix.Write(p.ends[0], []byte("\x00")) },
		"a reply that was not read":   func(p *pipes) { p.reply([]byte("reply\n")) },
		"the token was not put back":  func(p *pipes) { unix.Read(p.ends[3], make([]byte, 1)) },
		"a second token":              func(p *pipes) { p.unlock('a') },
		"another token":               func(p *pipes) { unix.Read(p.ends[3], make([]byte, 1)); p.unlock('b') },
		"requests that do not wait":   func(p *pipes) { unix.SetNonblock(p.ends[0], true) },
		"a hold that waits":           func(p *pipes) { unix.SetNonblock(p.ends[1], false) },
		"replies that do not wait":    func(p *pipes) { unix.SetNonblock(p.ends[2], true) },
		"a lock that does not wait":   func(p *pipes) { unix.SetNonblock(p.ends[3], true) },
		"an unlock that does not":     func(p *pipes) { unix.SetNonblock(p.ends[4], true) },
	} {
		t.Run(what, func(t *testing.T) {
			is := is.New(t)
			var s Server
			defer s.Close()
			c, err := s.Open(context.Background(), Call{Dir: t.TempDir()})
			is.NoErr(err)
			use(c.pipes)
			c.End(true)
			c.Free()
			is.Equal(len(s.spare.pipes), 0)
		})
	}
}

func TestAClosedServerTakesNoPipesBack(t *testing.T) {
	is := is.New(t)
	var s Server
	c, err := s.Open(context.Background(), Call{Dir: t.TempDir()})
	is.NoErr(err)
	s.Close()
	c.End(true)
	c.Free()
	is.Equal(len(s.spare.pipes), 0)
}

func TestTheEndOfAChannelDoesNotWaitForAFullLock(t *testing.T) {
	is := is.New(t)
	var s Server
	c, err := s.Open(context.Background(), Call{Dir: t.TempDir()})
	is.NoErr(err)
	is.NoErr(unix.SetNonblock(c.pipes.ends[4], true))
	for err == nil { // a tool can write to it whatever it likes
		_, err = unix.Write(c.pipes.ends[4], []byte("aaaa"))
	}
	is.NoErr(unix.SetNonblock(c.pipes.ends[4], false))
	c.Close()
}
