//go:build unix

package script

import "golang.org/x/sys/unix"

// SetUmask sets the mask for the permissions of new files, which commands inherit from the
// server. It is set once, for the process, since that costs nothing per command: with 0o077
// what the server and its tools write is readable by their owner alone.
func SetUmask(mask int) { unix.Umask(mask) }
