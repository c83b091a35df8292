package status

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"
)

const (
	// Socket is the name of the socket in the private folder of a server.
	Socket = "status.sock"

	patience  = 2 * time.Second        // with a program that does not read, or a server that does not answer
	pause     = 100 * time.Millisecond // when nobody can be let in
	longestAt = 100                    // length of a socket's path that every system accepts, in bytes
)

// A Listener shows snapshots to programs that connect.
type Listener struct {
	path     string
	listener *net.UnixListener
	board    *Board
	serving  sync.WaitGroup
}

// Listen shows the snapshots of a board on the socket in a folder that only this user
// can enter. The error is that the system has no such sockets, or that the folder's
// path is too long for one. Close or leave the listener.
func Listen(folder string, board *Board) (*Listener, error) {
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
	l := &Listener{path: path, listener: listener, board: board}
	l.serving.Go(l.accept)
	return l, nil
}

// Close removes the socket and returns when nobody is served any more.
func (l *Listener) Close() error {
	err := l.listener.Close()
	l.serving.Wait()
	return err
}

// Leave is Close at the end of a process, which disconnects everybody by itself: it removes the socket. Windows
// may not let it, as long as the socket is open.
func (l *Listener) Leave() error {
	if runtime.GOOS == "windows" {
		return l.Close()
	}
	return os.Remove(l.path)
}

func (l *Listener) accept() {
	for {
		conn, err := l.listener.AcceptUnix()
		switch {
		case err == nil:
			l.serving.Go(func() { l.show(conn) })
		case errors.Is(err, net.ErrClosed):
			return
		default: // such as no file descriptors
			time.Sleep(pause)
		}
	}
}

// show writes a snapshot.
func (l *Listener) show(conn *net.UnixConn) {
	defer conn.Close()
	if conn.SetDeadline(time.Now().Add(patience)) != nil {
		return
	}
	_ = json.NewEncoder(conn).Encode(l.board.Snapshot()) // whoever does not read it does not want it
}
