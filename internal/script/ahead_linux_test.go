package script

import (
	"strconv"
	"strings"
	"testing"

	"github.com/matryer/is"
)

func TestAShellThatWaitedHasTheLimitsOfItsCommand(t *testing.T) {
	is := is.New(t)
	r := Runner{adoption: sharedAdoption(), Limits: Limits{OpenFiles: 97}}
	s, c, out := standby(t, &r)
	pid := s.family.process().Pid
	res, err := r.Run(t.Context(), c)
	is.NoErr(err)
	is.True(strings.HasPrefix(out.Text(), strconv.Itoa(pid)+" "))
	is.Equal(res.Limits.OpenFiles, int64(97))
	is.Equal(c.Stderr.(*Head).Text(), "97\n")
}

func TestAConfinedCommandDoesNotRunInAShellThatWaited(t *testing.T) {
	is := is.New(t)
	r := Runner{adoption: sharedAdoption()}
	s, c, out := standby(t, &r)
	confined := false
	c.Confine = func(start func() error) (func(), error) {
		confined = true
		return func() {}, start()
	}
	_, err := r.Run(t.Context(), c)
	is.NoErr(err)
	is.True(confined)
	is.True(!strings.HasPrefix(out.Text(), strconv.Itoa(s.family.process().Pid)+" "))
	_, err = r.StartAhead(c, nil, func(string) bool { return true }, nil)
	is.Equal(err, ErrNotAhead)
}
