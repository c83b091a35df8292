package status

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"time"
)

// longest is the maximum size of a snapshot in bytes.
const longest = 1 << 20

// ErrBusy is the error of Watch for a server that closes the connection at once.
var ErrBusy = fmt.Errorf("the server ends, or %d programs watch it already", Watchers)

// Watch reads the snapshots of the server with this private folder, until each returns
// false or the server ends; then the error is nil. It is an error if there is no server,
// if it belongs to another user, does not answer ([os.ErrDeadlineExceeded]) or has no room
// for another watcher ([ErrBusy]).
func Watch(folder string, each func(Snapshot) (more bool)) error {
	conn, err := net.DialTimeout("unix", filepath.Join(folder, Socket), patience)
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := sameUser(conn.(*net.UnixConn)); err != nil {
		return err
	}
	lines := bufio.NewScanner(conn)
	lines.Buffer(nil, longest)
	for none := true; ; none = false {
		if err := conn.SetReadDeadline(time.Now().Add(Interval + patience)); err != nil {
			return err
		}
		if !lines.Scan() {
			switch err := lines.Err(); {
			case errors.Is(err, os.ErrDeadlineExceeded):
				return err
			case none:
				return ErrBusy
			}
			return nil // it has ended
		}
		var s Snapshot
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			return fmt.Errorf("a snapshot that cannot be read: %w", err)
		}
		if !each(s) {
			return nil
		}
	}
}
