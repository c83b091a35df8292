//go:build !linux

package server

// unmapProgram does nothing where that cannot be asked for.
func unmapProgram() {}
