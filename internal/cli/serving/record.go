package serving

import (
	"bufio"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/server"
)

// Record opens the file to which messages are recorded: a new one that only this user can read, or
// an earlier recording, to which they are appended. The lines name the session, so that several
// servers can write at the same time. Without a path w is nil.
func Record(path string) (w io.Writer, done func() error, err error) {
	if path == "" {
		return nil, func() error { return nil }, nil
	}
	if err := appendable(path); err != nil {
		return nil, nil, err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, nil, err
	}
	return session{f, `{"session":"` + rand.Text()[:10] + `",`}, f.Close, nil
}

// maxFirstLine is the maximum size of the first line of a recording.
const maxFirstLine = 64 << 20

// appendable returns an error for a file with other content than a recording: it would be neither
// any more.
func appendable(path string) error {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return nil // opening it tells what is wrong
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	var first struct{ Way string }
	line, _ := bufio.NewReader(io.LimitReader(f, maxFirstLine)).ReadBytes('\n')
	if json.Unmarshal(line, &first) != nil || first.Way == "" {
		return fmt.Errorf("%s is not a recording, so nothing is appended to it; name a new file", path)
	}
	return nil
}

// A session writes the lines of one server, with its name as the first member.
type session struct {
	w     io.Writer
	begin string
}

// Write writes a line, which is an object, at once: others may append to the file.
func (s session) Write(line []byte) (int, error) {
	if _, err := s.w.Write(append([]byte(s.begin), line[1:]...)); err != nil {
		return 0, err
	}
	return len(line), nil
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
