//go:build unix

package catalog

import "io/fs"

// executableBits reports whether files have an executable mode.
const executableBits = true

// startable reports whether the system would start the file by itself.
func startable(mode fs.FileMode, _ string) bool { return mode&0o111 != 0 }
