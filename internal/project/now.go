package project

import "os"

// Now returns the timestamp that a file would get if it changed now, in nanoseconds. The clock of
// file systems is coarse: a later change may get the same timestamp, but never an earlier one. own
// is a file or folder that may be touched to find out; the result is 0 if it cannot be.
func Now(own string) int64 {
	info, err := os.Stat(own) // newer systems give a file that was queried a precise timestamp at its next change
	if err != nil || os.Chmod(own, info.Mode().Perm()) != nil {
		return 0
	}
	return depOf(own).stamp.changed
}
