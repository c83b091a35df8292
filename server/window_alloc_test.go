//go:build !race

package server_test

import (
	"testing"

	"github.com/matryer/is"
)

// What a ping allocates is most of what it costs. The race detector allocates for itself.
func TestAPingAllocatesLittleMoreThanItsMessagesAndContexts(t *testing.T) {
	is := is.New(t)
	d := watched(t)
	pings, _ := windowOfPings()
	window := testing.AllocsPerRun(200, func() {
		d.bursts <- pings
		<-d.written
	})
	is.True(window/64 < 12) // seven, and what the server does meanwhile
}
