package replay

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"
)

// A Line is a line of a recording.
type Line struct {
	Session string          `json:"session,omitempty"` // different for each client
	Time    string          `json:"time"`
	Way     string          `json:"way"`            // in, out, start, or step
	Line    uint64          `json:"line,omitempty"` // of the client's input, which Message is or was sent for; 0: unknown
	Message json.RawMessage `json:"message,omitempty"`

	Step json.RawMessage `json:"-"` // the whole line, of way step; see docs/trace.schema.json
}

// At is Time; the zero time if that cannot be read.
func (l Line) At() time.Time {
	at, _ := time.Parse(time.RFC3339Nano, l.Time)
	return at
}

// Text returns the message as it was on the wire, but for secrets.
func (l Line) Text() string {
	var raw string
	if json.Unmarshal(l.Message, &raw) == nil {
		return raw // was not JSON
	}
	return string(l.Message)
}

// Lines calls each with the lines of a recording. The last line may be incomplete, where a server was killed or is
// still writing: then it is left out. An error names the line, behind the path.
func Lines(path string, text []byte, each func(Line) error) error {
	number := 0
	for raw := range bytes.Lines(text) {
		number++
		whole := bytes.HasSuffix(raw, []byte("\n"))
		if raw = bytes.TrimSpace(raw); len(raw) == 0 {
			continue
		}
		var line Line
		err := json.Unmarshal(raw, &line)
		switch {
		case err != nil && !whole:
			return nil
		case err != nil:
			err = fmt.Errorf("not a line of a recording: %w", err)
		case line.Way == "step":
			line.Step = raw
			err = each(line)
		case line.Way == "in", line.Way == "out", line.Way == "start":
			err = each(line)
		default:
			err = fmt.Errorf(`"way" is %q, and must be in, out, start or step`, line.Way)
		}
		if err != nil {
			return fmt.Errorf("%s:%d: %w", path, number, err)
		}
	}
	return nil
}

// IsRecording reports whether the first line of a file is that of a recording.
func IsRecording(text []byte) bool {
	first, _, _ := bytes.Cut(bytes.TrimSpace(text), []byte("\n"))
	var l Line
	return json.Unmarshal(first, &l) == nil && l.Way != ""
}
