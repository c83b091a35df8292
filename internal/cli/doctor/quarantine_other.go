//go:build !darwin

package doctor

// quarantine finds nothing: only macOS has one.
func (*examination) quarantine() []Finding { return nil }
