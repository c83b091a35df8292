//go:build !race

package server_test

import (
	"testing"

	"github.com/matryer/is"
)

// Allocations are most of the cost of a ping. The race detector has allocations of its own.
func TestAPingAllocatesLittleMoreThanItsMessagesAndContexts(t *testing.T) {
	is := is.New(t)
	d := watched(t)
	pings, _ := windowOfPings()
	window := testing.AllocsPerRun(200, func() {
		d.bursts <- pings
		<-d.written
	})
	is.True(window/64 < 12) // seven, and those of the server in the background
}
