//go:build !linux

package serving

// ReleaseWatches does nothing: ending a watch takes no time on this system.
func ReleaseWatches() {}
