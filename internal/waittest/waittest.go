// Package waittest waits in tests for other goroutines and processes. Only tests import it.
package waittest

import (
	"testing"
	"time"
)

// patience is the timeout, long enough for a loaded machine.
const patience = 2 * time.Minute

// Until waits until done returns true, and fails the test if that takes too long; what is the condition
// in words, for the failure message.
func Until(t testing.TB, what string, done func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for late := time.After(patience); !done(); {
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("still not so after %v: %s", patience, what)
		}
	}
}
