//go:build unix

package hooks

import (
	"fmt"
	"os"
	"syscall"
)

// checkOwner reports that others than the user of the server could write p.
func checkOwner(p string) error {
	info, err := os.Stat(p)
	if err != nil {
		return err
	}
	if s, ok := info.Sys().(*syscall.Stat_t); ok && int(s.Uid) != os.Geteuid() {
		return fmt.Errorf("%s belongs to another user; run chown on it", p)
	}
	if info.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("%s can be written by others; run chmod go-w %s", p, p)
	}
	return nil
}
