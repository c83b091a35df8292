package serving

import (
	"math"
	"runtime"
	"runtime/debug"
)

// DelayGC delays the first garbage collection, unless the environment sets GOGC: most of what a
// starting server allocates stays in use. After the first collection, which a large project needs,
// the delay is over: later allocations would be scattered among garbage, and keep that memory from
// being returned to the system.
func DelayGC(given bool) {
	if given {
		return
	}
	before := debug.SetGCPercent(400)
	runtime.AddCleanup(new([64]byte), func(before int) { debug.SetGCPercent(before) }, before)
}

// BoundMemory sets the memory limit of the garbage collector, unless the environment
// has set it, and returns how much of it calls may use: two thirds, because the rest is
// for everything else and for garbage. Without a limit it returns -1, for no bound.
func BoundMemory(mark int, given bool) int {
	if !given && mark > 0 {
		debug.SetMemoryLimit(int64(mark))
	}
	if limit := debug.SetMemoryLimit(-1); limit < math.MaxInt64 {
		return int(max(limit/3*2, 1))
	}
	return -1
}
