package mcp

import (
	"slices"
	"testing"
)

// Publish makes r the newest revision until the test ends.
func Publish(t testing.TB, r *Revision) {
	before := revisions
	revisions = slices.Insert(slices.Clone(before), 0, r)
	t.Cleanup(func() { revisions = before })
}
