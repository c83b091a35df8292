//go:build unix && !linux

package project

import (
	"os"

	"golang.org/x/sys/unix"
)

// entries returns the entries of the folder, in any order.
func (d *dir) entries() ([]dirEntry, error) {
	fd, err := unix.Dup(d.fd)
	if err != nil {
		return nil, err
	}
	unix.CloseOnExec(fd)
	f := os.NewFile(uintptr(fd), d.path)
	defer f.Close()
	found, err := f.ReadDir(-1)
	return entriesOf(found), err
}
