package round_test

import (
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/round"
)

func TestUsedValuesAreRememberedWithinABound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		u := round.Used{Max: 100}
		expires := func() time.Time { return time.Now().Add(time.Hour) }
		old, oldExpires := "old", expires()
		is.True(u.First(old, oldExpires))
		<-time.After(time.Second)
		unused := expires()
		<-time.After(time.Second)
		for i := range 1000 {
			is.True(u.First(strconv.Itoa(i), expires()))
			<-time.After(time.Millisecond)
		}
		is.Equal(u.Len(), 100)
		is.True(!u.First(old, oldExpires))   // MR-07: forgotten, but still refused
		is.True(!u.First("unused", unused))  // since it might be a forgotten one
		is.True(!u.First("999", expires()))  // remembered
		is.True(u.First("fresh", expires())) // the rest still works
	})
}

func TestExpiredValuesAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		var u round.Used
		for i := range 1000 {
			is.True(u.First(strconv.Itoa(i), time.Now().Add(time.Minute)))
		}
		<-time.After(2 * time.Minute)
		is.True(u.First("new", time.Now().Add(time.Minute)))
		is.Equal(u.Len(), 1)
	})
}
