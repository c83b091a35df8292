package process

import "math"

// This system has no such limits.
func processLimit() uint64 { return math.MaxUint64 }

// OpenFiles returns how many files this process may have open; MaxUint64 for no limit.
func OpenFiles() uint64 { return math.MaxUint64 }
