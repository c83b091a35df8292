package serving

import "runtime"

// AddThread lets one more thread execute Go code than there are processors, unless the environment sets
// GOMAXPROCS: one that starts a program counts as executing while the system loads it, and 64 calls at once
// gain 10 %. Processors that are added or taken away from now on are not noticed. It stops everything for a
// moment.
func AddThread(given bool) {
	if !given {
		runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + 1)
	}
}
