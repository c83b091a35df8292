package status

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"time"
)

// longest is the maximum size of a snapshot in bytes.
const longest = 1 << 20

// Read returns what the server with this private folder does now. It fails if none runs there, and with
// [os.ErrDeadlineExceeded] if the server does not answer.
func Read(ctx context.Context, folder string) (s Snapshot, err error) {
	conn, err := (&net.Dialer{Timeout: patience}).DialContext(ctx, "unix", filepath.Join(folder, Socket))
	if err != nil {
		return s, err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		return s, err
	}
	if err := json.NewDecoder(io.LimitReader(conn, longest)).Decode(&s); err != nil {
		return s, fmt.Errorf("a snapshot that cannot be read: %w", err)
	}
	return s, nil
}
