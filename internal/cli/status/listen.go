package status

import (
	"context"
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
	// Interval is the time between two snapshots.
	Interval = time.Second
	// Watchers is how many programs are served at the same time.
	Watchers = 8

	patience  = 2 * time.Second // with a program that does not read
	longestAt = 100             // length of a socket's path that every system accepts, in bytes
)

// A Listener shows snapshots to programs that connect.
type Listener struct {
	path     string
	listener *net.UnixListener
	board    *Board
	context  context.Context // ends with the listener
	cancel   context.CancelFunc
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
	l.context, l.cancel = context.WithCancel(context.Background())
	l.serving.Go(l.accept)
	return l, nil
}

// Close disconnects everybody and removes the socket.
func (l *Listener) Close() error {
	l.cancel()
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
	slots := make(chan struct{}, Watchers)
	for {
		conn, err := l.listener.AcceptUnix()
		switch {
		case l.context.Err() != nil:
			if err == nil {
				conn.Close()
			}
			return
		case err != nil: // such as no file descriptors
			select {
			case <-time.After(Interval):
			case <-l.context.Done():
			}
			continue
		}
		select {
		case slots <- struct{}{}:
			l.serving.Go(func() {
				defer func() { <-slots }()
				l.show(conn)
			})
		default:
			conn.Close()
		}
	}
}

// show writes snapshots until one side closes the connection.
func (l *Listener) show(conn *net.UnixConn) {
	defer conn.Close()
	defer context.AfterFunc(l.context, func() { conn.Close() })()
	if err := sameUser(conn); err != nil {
		return
	}
	tick := time.NewTicker(Interval)
	defer tick.Stop()
	gone := make(chan struct{})
	go func() { // ends with the connection
		defer close(gone)
		_, _ = conn.Read(make([]byte, 1)) // returns when the client disconnects, or writes, which is not allowed
	}()
	for {
		line, err := json.Marshal(l.board.Snapshot())
		if err != nil {
			return
		}
		if conn.SetWriteDeadline(time.Now().Add(patience)) != nil {
			return
		}
		if _, err := conn.Write(append(line, '\n')); err != nil {
			return
		}
		select {
		case <-tick.C:
		case <-gone:
			return
		case <-l.context.Done():
			return
		}
	}
}
