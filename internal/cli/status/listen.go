package status

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"time"
)

const (
	// Socket is the name of the socket in the private folder of a server.
	Socket = "status.sock"

	patience  = 2 * time.Second        // with a program that does not read, or a server that does not answer
	pause     = 100 * time.Millisecond // when nobody can be let in
	longestAt = 100                    // length of a socket's path that every system accepts, in bytes
)

// Listen shows snapshots of a board to programs that connect to the socket in a folder that only this user can enter.
// The error is that the system has no such sockets, or that the folder's path is too long for one. Closing the
// listener removes the socket.
func Listen(folder string, board *Board) (io.Closer, error) {
	path := filepath.Join(folder, Socket)
	if len(path) > longestAt {
		return nil, fmt.Errorf("%s: the path is too long for a socket, which has at most %d bytes", path, longestAt)
	}
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, err
	}
	if runtime.GOOS != "windows" { // there the folder alone keeps others out
		if err := os.Chmod(path, 0o600); err != nil {
			return nil, errors.Join(err, listener.Close())
		}
	}
	go accept(listener, board)
	return listener, nil
}

// accept shows snapshots until the listener is closed.
func accept(listener *net.UnixListener, board *Board) {
	for {
		conn, err := listener.AcceptUnix()
		switch {
		case err == nil:
			go show(conn, board)
		case errors.Is(err, net.ErrClosed):
			return
		default: // such as no file descriptors
			time.Sleep(pause)
		}
	}
}

// show writes a snapshot.
func show(conn *net.UnixConn, board *Board) {
	defer conn.Close()
	if conn.SetDeadline(time.Now().Add(patience)) == nil {
		_ = json.NewEncoder(conn).Encode(board.Snapshot()) // whoever does not read it does not want it
	}
}
