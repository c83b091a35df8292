//go:build unix

package process

import "golang.org/x/sys/unix"

// SetUmask sets the mask for the permissions of new files, which commands inherit from the
// server. It applies to the whole process, so that it costs nothing per command. With 0o077,
// what the server and its tools write can be read by the owner only.
func SetUmask(mask int) { unix.Umask(mask) }
