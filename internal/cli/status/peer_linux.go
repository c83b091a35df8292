package status

import "golang.org/x/sys/unix"

// peer returns the user of the other side.
func peer(fd int) (uid int, known bool, err error) {
	c, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return 0, false, err
	}
	return int(c.Uid), true, nil
}
