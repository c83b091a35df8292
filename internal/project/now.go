package project

import "os"

// Now is the time that a file bears which changes now, in nanoseconds: the clock of file systems
// ticks, and a change that follows may bear the same time, but never an earlier one. own is a file
// or folder that may be touched for it; 0 if it cannot be.
func Now(own string) int64 {
	info, err := os.Stat(own) // newer systems give a file that was looked at a time of its own when it changes next
	if err != nil || os.Chmod(own, info.Mode().Perm()) != nil {
		return 0
	}
	return depOf(own).stamp.changed
}
