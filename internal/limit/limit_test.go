package limit_test

import (
	"math"
	"math/rand/v2"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/limit"
)

func TestInNoMinuteMorePassThanTheLimit(t *testing.T) {
	for seed := range uint64(200) {
		synctest.Test(t, func(t *testing.T) {
			is := is.New(t)
			random := rand.New(rand.NewPCG(seed, 0))
			most := 1 + random.IntN(100)
			pause := time.Minute / time.Duration(1+random.IntN(4*most)) // from a trickle to a flood
			m := limit.PerMinute(most)
			var passed []time.Time
			refused := time.Time{} // since when all were refused
			for range 10 * most {
				<-time.After(time.Duration(random.Int64N(int64(2 * pause))))
				now := time.Now()
				if !m.Allow() {
					if refused.IsZero() {
						refused = now
					}
					is.True(now.Sub(refused) < time.Minute+time.Second) // room is made again
					continue
				}
				refused = time.Time{}
				passed = append(passed, now)
				if n := len(passed) - 1 - most; n >= 0 {
					is.True(now.Sub(passed[n]) >= time.Minute) // so in a minute there are at most as many
				}
			}
		})
	}
}

func TestTheWholeLimitIsThereInAMinuteAndASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		m := limit.PerMinute(60)
		is.Equal(m.Passed(), 0)
		for range 3 {
			n := 0
			for range 610 { // for a minute and a second
				if m.Allow() {
					n++
				}
				<-time.After(100 * time.Millisecond)
			}
			is.True(n >= 60)
		}
		is.True(m.Passed() > 0)
		<-time.After(time.Minute)
		is.Equal(m.Passed(), 0)
	})
}

func TestWithoutALimitEverythingPasses(t *testing.T) {
	m := limit.PerMinute(0)
	for range 1000 {
		is.New(t).True(m.Allow())
	}
}

func TestALimitTakesLittleMemoryHoweverMuchPasses(t *testing.T) {
	is := is.New(t)
	m := limit.PerMinute(math.MaxInt)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 1_000_000 {
		m.Allow()
	}
	runtime.ReadMemStats(&after)
	is.Equal(m.Passed(), 1_000_000)
	is.True(after.TotalAlloc-before.TotalAlloc < 1<<20)
}
