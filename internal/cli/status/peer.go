package status

import (
	"errors"
	"net"
	"os"
)

// errOther is the error of sameUser for another user.
var errOther = errors.New("the other side belongs to another user")

// sameUser returns an error unless the other side of a connection is a process of this
// user. If the system does not report the user, only the folder of the socket, which
// others cannot enter, keeps them out.
func sameUser(conn *net.UnixConn) error {
	raw, err := conn.SyscallConn()
	if err != nil {
		return err
	}
	uid, known := -1, false
	var failed error
	if err := raw.Control(func(fd uintptr) { uid, known, failed = peer(int(fd)) }); err != nil {
		return err
	}
	switch {
	case failed != nil:
		return failed
	case known && uid != os.Geteuid():
		return errOther
	}
	return nil
}
