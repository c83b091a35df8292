//go:build unix && !linux

package process

// adopts reports whether all descendants of a command are found.
func adopts() bool { return false }

// adoptsAll reports whether processes are found that cannot be attributed to a command.
func adoptsAll() bool { return false }

// living reports whether there is a process that is not dead.
func living(pid int) bool { return exists(pid) }

// sharedAdoption is that of runner.
func sharedAdoption() adoption { return runner.adoption }
