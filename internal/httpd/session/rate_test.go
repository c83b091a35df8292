package session

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/matryer/is"
)

func TestTheLimitOfAUserHoldsInAnyMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		r := NewRate(60)
		for range 5 {
			passed := 0
			for range 118 { // in 59 seconds
				if r.Take("a") == nil {
					passed++
				}
				<-time.After(500 * time.Millisecond)
			}
			is.Equal(passed, 60)
			is.NoErr(r.Take("b"))
			<-time.After(time.Minute)
		}
	})
}

func TestUsersAreForgottenWhenTheyHaveTheWholeLimitAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		r := NewRate(1)
		for i := range 10_000 {
			is.NoErr(r.Take(fmt.Sprint(i)))
			<-time.After(time.Second)
		}
		is.True(len(r.users) <= 2*leastSweep)
		is.True(r.Take("9999") != nil) // but not who has made a request in the last minute
	})
}

func TestWithoutALimitNothingIsCounted(t *testing.T) {
	is.New(t).NoErr(NewRate(0).Take("a"))
}
