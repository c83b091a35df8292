package limit

import (
	"errors"
	"testing"

	"github.com/matryer/is"
)

func TestOneCallerCannotTakeEverything(t *testing.T) {
	is := is.New(t)
	shares := NewShares("sessions are open", 4, 2)
	is.NoErr(shares.Take("ada", 1))
	is.NoErr(shares.Take("ada", 1))
	is.Equal(shares.Take("ada", 1).Error(), "too many sessions are open: at most 2 of one caller")
	is.NoErr(shares.Take("bob", 1))
	is.NoErr(shares.Take("", 1)) // some of those who are not told apart
	is.Equal(shares.Take("bob", 1).Error(), "too many sessions are open: at most 4")
	shares.Free("ada", 2)
	is.NoErr(shares.Take("ada", 2))
}

func TestWhoIsNotToldApartMayTakeEverything(t *testing.T) {
	is := is.New(t)
	shares := NewShares("sessions are open", 4, 2)
	is.NoErr(shares.Take("", 4))
	is.True(errors.Is(shares.Take("", 1), ErrFull))
}
