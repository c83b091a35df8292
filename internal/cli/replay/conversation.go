// Package replay plays the client's part of a recorded conversation to a server
// and compares what the server writes with what it wrote then.
package replay

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
)

// A File has the conversations of a recording, one for each time that the server was
// started, in that order; other files have one.
type File struct {
	Conversations []*Conversation

	kind kind
	path string
}

// A Conversation is a recorded conversation, in blocks: what the client wrote, then
// what the server wrote before the client wrote again.
type Conversation struct {
	Blocks []Block
	// Project is the folder that was served; "" if it was not recorded.
	Project string
	// Environ are the variables, as NAME=VALUE, that the server had: the lines of the file env
	// beside a pair.
	Environ []string

	kind    kind
	session string // that its lines name
}

// A Block is part of a conversation. The lines have no line end.
type Block struct {
	Client []string
	Server []string
}

// kind is the format of a file.
type kind int

const (
	recording kind = iota // lines of {"session", "time", "way", "line", "message"}
	pair                  // NAME.client.ndjson with NAME.server.ndjson
	plain                 // lines of a client alone
)

// limit is the maximum size of a file.
const limit = 1 << 30

const clientFile, serverFile = ".client.ndjson", ".server.ndjson"

// Read reads a recording of `serve --record` or of `debug`, a file
// NAME.client.ndjson with NAME.server.ndjson and a file env beside it, or any other file
// with the lines of a client. In the latter two a blank line means: wait for the
// server's output. The error for a file that cannot be read does not name it.
func Read(path string) (*File, error) {
	text, err := files.Read(path, limit)
	if err != nil {
		return nil, errors.Unwrap(err)
	}
	f := &File{path: path}
	switch {
	case strings.HasSuffix(path, clientFile):
		f.kind = pair
		return f, f.readPair(string(text))
	case IsRecording(text):
		return f, Lines(path, text, f.add)
	}
	f.kind = plain
	c := f.converse("")
	for _, lines := range split(string(text)) {
		c.Blocks = append(c.Blocks, Block{Client: lines})
	}
	return f, nil
}

// Plain reports whether the file only has the lines of a client, so that there is
// nothing to compare with.
func (f *File) Plain() bool { return f.kind == plain }

// converse adds a conversation.
func (f *File) converse(session string) *Conversation {
	c := &Conversation{kind: f.kind, session: session}
	f.Conversations = append(f.Conversations, c)
	return c
}

func (f *File) readPair(client string) error {
	c := f.converse("")
	server, err := files.Read(f.serverPath(), limit)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if c.Environ, err = readEnviron(filepath.Join(filepath.Dir(f.path), "env")); err != nil {
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

// readEnviron returns the lines NAME=VALUE of an optional file. Blank lines and comments (#) are left out.
func readEnviron(path string) (environ []string, err error) {
	text, err := files.Read(path, limit)
	// a folder of that name is unrelated
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, files.ErrNotRegular) {
		return nil, err
	}
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		if strings.Index(line, "=") < 1 {
			return nil, fmt.Errorf("%s:%d: %q is not NAME=VALUE: write one variable a line", path, n, line)
		}
		environ = append(environ, line)
	}
	return environ, nil
}

func (f *File) serverPath() string {
	return strings.TrimSuffix(f.path, clientFile) + serverFile
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

// add adds a line of a recording to the conversation that it belongs to.
func (f *File) add(e Line) error {
	switch e.Way {
	case "step":
		return nil
	case "start":
		var start struct{ Project string }
		err := json.Unmarshal(e.Message, &start)
		f.converse(e.Session).Project = start.Project
		return err
	}
	c := f.last(e.Session)
	line := e.Text()
	if e.Way == "in" {
		if last := len(c.Blocks) - 1; last < 0 || len(c.Blocks[last].Server) > 0 {
			c.Blocks = append(c.Blocks, Block{})
		}
		last := &c.Blocks[len(c.Blocks)-1]
		last.Client = append(last.Client, line)
		return nil
	}
	if len(c.Blocks) == 0 {
		c.Blocks = append(c.Blocks, Block{})
	}
	last := &c.Blocks[len(c.Blocks)-1]
	last.Server = append(last.Server, line)
	return nil
}

// last returns the latest conversation of a session. Without its start, which was
// cut off or never recorded, there is a new one.
func (f *File) last(session string) *Conversation {
	for _, c := range slices.Backward(f.Conversations) {
		if c.session == session {
			return c
		}
	}
	return f.converse(session)
}

// serverText returns the server's lines as those of a pair.
func (c *Conversation) serverText(o *Outcome) []byte {
	var texts []string
	for _, lines := range o.Written {
		texts = append(texts, strings.Join(lines, "\n")+"\n")
	}
	if last := len(texts) - 1; last >= 0 && len(o.Written[last]) == 0 && last >= c.clientBlocks() {
		texts = texts[:last] // no output after the end
	}
	return []byte(strings.Join(texts, "\n"))
}

// record returns the conversation as lines of a recording. Where there are several,
// each needs its start.
func (c *Conversation) record(o *Outcome, several bool) []byte {
	var b bytes.Buffer
	now := time.Now().UTC().Format(time.RFC3339Nano)
	write := func(way, line string) {
		e := Line{Session: c.session, Time: now, Way: way, Message: json.RawMessage(line)}
		if !json.Valid(e.Message) {
			e.Message, _ = json.Marshal(line) // a text can always be written
		}
		data, _ := json.Marshal(e) // as above
		b.Write(append(data, '\n'))
	}
	if o.project != "" || several {
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
	return b.Bytes()
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
