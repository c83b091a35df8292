//go:build unix

package files

import (
	"io/fs"
	"os"
	"syscall"
)

// sharing reports whether a file belongs to this user or root, and whether its mode gives others
// access.
func sharing(info fs.FileInfo) (own, others bool) {
	s, ok := info.Sys().(*syscall.Stat_t)
	own = ok && (int(s.Uid) == os.Geteuid() || s.Uid == 0)
	return own, info.Mode().Perm()&0o077 != 0
}
