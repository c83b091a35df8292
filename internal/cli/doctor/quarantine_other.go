//go:build !darwin

package doctor

// quarantine finds nothing: only macOS has a quarantine.
func (*examination) quarantine() []Finding { return nil }
