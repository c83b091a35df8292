//go:build !linux

package main

import "github.com/rogpeppe/go-internal/testscript"

// converse is for scripts that skip where it is not there.
func converse(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Fatalf("terminals are tried on Linux only")
}
