// Package waittest waits in tests for what other goroutines and processes do. Only tests import it.
package waittest

import (
	"testing"
	"time"
)

// patience is how long something may take on a machine that is busy with other things.
const patience = 2 * time.Minute

// Until waits until done reports true, and fails the test if that takes too long: what is the
// sentence that did not become true.
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
