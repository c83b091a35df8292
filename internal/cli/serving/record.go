package serving

import (
	"encoding/json"
	"io"
	"os"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/server"
)

// Record opens the file in which messages are recorded, readable only by this user.
// Without a path w is nil.
func Record(path string) (w io.Writer, done func() error, err error) {
	if path == "" {
		return nil, func() error { return nil }, nil
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	return f, f.Close, err
}

// BeginRecord records which project is served, so that replay can treat its folder
// as equal to the folder of the replayed server.
func BeginRecord(w io.Writer, root string) error {
	type start struct {
		Version string `json:"version"`
		Project string `json:"project,omitempty"`
	}
	return json.NewEncoder(w).Encode(struct {
		Time    time.Time `json:"time"`
		Way     string    `json:"way"`
		Message start     `json:"message"`
	}{time.Now().UTC(), "start", start{server.Version, root}})
}
