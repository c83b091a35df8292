// Package replay plays the client's part of a recorded conversation to a server
// and compares what the server writes with what it wrote then.
package replay

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
)

// A Conversation is a recorded conversation, in blocks: what the client wrote, then
// what the server wrote before the client wrote again.
type Conversation struct {
	Blocks []Block
	// Project is the folder that was served; "" if it was not recorded.
	Project string

	kind kind
	path string
}

// A Block is part of a conversation. The lines have no line end.
type Block struct {
	Client []string
	Server []string
}

// kind is the format of a file.
type kind int

const (
	recording kind = iota // lines of {"time", "way", "message"}
	pair                  // NAME.client.ndjson with NAME.server.ndjson
	plain                 // lines of a client alone
)

// event is a line of a recording.
type event struct {
	Time    string          `json:"time"`
	Way     string          `json:"way"` // in, out, or start
	Message json.RawMessage `json:"message"`
}

// limit is the maximum size of a file.
const limit = 1 << 30

const clientFile, serverFile = ".client.ndjson", ".server.ndjson"

// Read reads a recording of `serve --record` or of `debug`, a file
// NAME.client.ndjson with NAME.server.ndjson beside it, or any other file with
// the lines of a client. In the latter two a blank line means: wait for the
// server's output. The error for a file that cannot be read does not name it.
func Read(path string) (*Conversation, error) {
	text, err := files.Read(path, limit)
	if err != nil {
		return nil, errors.Unwrap(err)
	}
	c := &Conversation{path: path}
	if strings.HasSuffix(path, clientFile) {
		c.kind = pair
		return c, c.readPair(string(text))
	}
	first, _, _ := bytes.Cut(bytes.TrimSpace(text), []byte("\n"))
	var e event
	if json.Unmarshal(first, &e) == nil && e.Way != "" {
		return c, c.readRecording(text)
	}
	c.kind = plain
	for _, lines := range split(string(text)) {
		c.Blocks = append(c.Blocks, Block{Client: lines})
	}
	return c, nil
}

// Plain reports whether the file only has the lines of a client, so that there is
// nothing to compare with.
func (c *Conversation) Plain() bool { return c.kind == plain }

func (c *Conversation) readPair(client string) error {
	server, err := files.Read(c.serverPath(), limit)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	written := split(string(server))
	for i, lines := range split(client) {
		b := Block{Client: lines}
		if i < len(written) {
			b.Server = written[i]
		}
		c.Blocks = append(c.Blocks, b)
	}
	for _, lines := range written[min(len(c.Blocks), len(written)):] {
		c.Blocks = append(c.Blocks, Block{Server: lines}) // after the end of the client's input
	}
	return nil
}

func (c *Conversation) serverPath() string {
	return strings.TrimSuffix(c.path, clientFile) + serverFile
}

// split splits lines into blocks at blank lines.
func split(text string) [][]string {
	if text == "" {
		return nil
	}
	blocks := [][]string{nil}
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		if line == "" {
			blocks = append(blocks, nil)
			continue
		}
		last := len(blocks) - 1
		blocks[last] = append(blocks[last], line)
	}
	return blocks
}

func (c *Conversation) readRecording(text []byte) error {
	scan := bufio.NewScanner(bytes.NewReader(text))
	scan.Buffer(nil, limit)
	for n := 1; scan.Scan(); n++ {
		if len(bytes.TrimSpace(scan.Bytes())) == 0 {
			continue
		}
		var e event
		if err := json.Unmarshal(scan.Bytes(), &e); err != nil {
			return fmt.Errorf("%s:%d: not a line of a recording: %w", c.path, n, err)
		}
		line := string(e.Message)
		var raw string
		if json.Unmarshal(e.Message, &raw) == nil {
			line = raw // was not JSON
		}
		last := len(c.Blocks) - 1
		switch e.Way {
		case "start":
			var start struct{ Project string }
			if err := json.Unmarshal(e.Message, &start); err != nil {
				return fmt.Errorf("%s:%d: %w", c.path, n, err)
			}
			c.Project = start.Project
		case "in":
			if last < 0 || len(c.Blocks[last].Server) > 0 {
				c.Blocks = append(c.Blocks, Block{})
				last++
			}
			c.Blocks[last].Client = append(c.Blocks[last].Client, line)
		case "out":
			if last < 0 {
				c.Blocks = append(c.Blocks, Block{})
				last++
			}
			c.Blocks[last].Server = append(c.Blocks[last].Server, line)
		default:
			return fmt.Errorf(`%s:%d: "way" is %q, and must be in, out or start`, c.path, n, e.Way)
		}
	}
	return scan.Err()
}

// Update rewrites the recording with what the server wrote now.
func (c *Conversation) Update(o *Outcome) error {
	switch c.kind {
	case plain:
		return fmt.Errorf("%s has the lines of a client only; rename it to NAME%s, and what the server writes is kept in NAME%s", c.path, clientFile, serverFile)
	case pair:
		var texts []string
		for _, lines := range o.Written {
			texts = append(texts, strings.Join(lines, "\n")+"\n")
		}
		if last := len(texts) - 1; last >= 0 && len(o.Written[last]) == 0 && last >= c.clientBlocks() {
			texts = texts[:last] // no output after the end
		}
		return files.Replace(c.serverPath(), []byte(strings.Join(texts, "\n")), 0o644)
	}
	var b bytes.Buffer
	now := time.Now().UTC().Format(time.RFC3339Nano)
	write := func(way, line string) {
		e := event{Time: now, Way: way, Message: json.RawMessage(line)}
		if !json.Valid(e.Message) {
			e.Message, _ = json.Marshal(line) // a text can always be written
		}
		data, _ := json.Marshal(e) // as above
		b.Write(append(data, '\n'))
	}
	if o.project != "" {
		start, _ := json.Marshal(map[string]string{"project": o.project})
		write("start", string(start))
	}
	for i, lines := range o.Written {
		if i < len(c.Blocks) {
			for _, line := range c.Blocks[i].Client {
				write("in", line)
			}
		}
		for _, line := range lines {
			write("out", line)
		}
	}
	info, err := os.Stat(c.path)
	if err != nil {
		return err
	}
	return files.Replace(c.path, b.Bytes(), info.Mode().Perm())
}

// clientBlocks returns how many blocks have lines of the client.
func (c *Conversation) clientBlocks() (n int) {
	for i, b := range c.Blocks {
		if len(b.Client) > 0 {
			n = i + 1
		}
	}
	return n
}
