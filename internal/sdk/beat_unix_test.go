//go:build unix

package sdk

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/matryer/is"
	"golang.org/x/sys/unix"
)

// Helpers skip them one by one: under load, those of a busy channel did nothing else, and lost their answers.
func TestEmptyLinesComeOnlyWhereNobodyUsesTheChannel(t *testing.T) {
	for _, c := range []struct {
		token string
		lines int
	}{{"b", 1}, {"b#", maxSized + 64}} {
		synctest.Test(t, func(t *testing.T) {
			is := is.New(t)
			var s Server
			channel, err := s.Open(t.Context(), Call{Dir: t.TempDir()})
			is.NoErr(err)
			defer channel.Close()
			read := func() string {
				synctest.Wait()
				b := make([]byte, 2*maxSized)
				if channel.pipes.quiet() {
					return ""
				}
				n, err := unix.Read(channel.pipes.ends[2], b)
				is.NoErr(err)
				return string(b[:n])
			}
			ask := func(fields string) { fmt.Fprintf(channel, "\x00%s\x00\n", fields) }
			var token [1]byte
			_, err = unix.Read(channel.pipes.ends[3], token[:]) // whose holder does nothing with it
			is.NoErr(err)
			ask("?")
			for i := range 10 {
				<-time.After(lockTime / 2)
				ask(fmt.Sprintf("%s\x001.%d\x00json_escape\x00x", c.token, i))
				is.True(len(read()) < 40) // the reply alone
			}
			<-time.After(2 * lockTime)
			is.Equal(len(read()), c.lines)
		})
	}
}
