package replay

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
)

// Update rewrites the file with what the server wrote now, in each of its conversations. If that is the
// output of a server that has failed, it is an error and the file stays as it is: the answers in it
// may be the only ones.
func (f *File) Update(outcomes []*Outcome) error {
	if f.kind == plain {
		return fmt.Errorf("%s has the lines of a client only; rename it to NAME%s, and what the server writes is kept in "+
			"NAME%s", f.path, clientFile, serverFile)
	}
	if err := f.failed(outcomes); err != nil {
		return fmt.Errorf("not updated: %w", err)
	}
	if f.kind == pair {
		return files.Rewrite(f.serverPath(), f.Conversations[0].serverText(outcomes[0]), 0o644)
	}
	var b bytes.Buffer
	for i, c := range f.Conversations {
		b.Write(c.record(outcomes[i], len(f.Conversations) > 1))
	}
	return files.Rewrite(f.path, b.Bytes(), 0o644)
}

// failed returns an error if the server wrote something that is not a message, or did not respond to a
// request that has a response in the recording; if there is none to any, as in a new recording, one
// request at least must have got a response now. Cancelled calls need none.
func (f *File) failed(outcomes []*Outcome) error {
	var lost []string
	asked, recorded, responded := false, false, false
	for i, c := range f.Conversations {
		if line := strange(outcomes[i].Written); line != "" {
			return fmt.Errorf("the server wrote %.80q, which is not a message", line)
		}
		then, now := responses(c.server()), responses(outcomes[i].Written)
		for _, id := range called(c.client()) {
			asked, recorded, responded = true, recorded || then[id], responded || now[id]
			if !then[id] || now[id] {
				continue
			}
			name := fmt.Sprintf("%s (id %s)", methodOf(id, c.client()), id)
			if len(f.Conversations) > 1 {
				name += fmt.Sprintf(" in session %d", i+1)
			}
			lost = append(lost, name)
		}
	}
	switch {
	case len(lost) > 0:
		return fmt.Errorf("no response to %s, which the recording has", listed(lost))
	case asked && !recorded && !responded:
		return errors.New("no response to any request")
	}
	return nil
}

// strange returns the first line that is neither a message nor a batch of messages.
func strange(blocks [][]string) string {
	for _, line := range slices.Concat(blocks...) {
		if text := strings.TrimSpace(line); !json.Valid([]byte(text)) || text[0] != '{' && text[0] != '[' {
			return line
		}
	}
	return ""
}

// responses returns the ids of the requests to which lines of the server respond.
func responses(blocks [][]string) map[string]bool {
	ids := make(map[string]bool)
	for _, line := range slices.Concat(blocks...) {
		for _, e := range envelopes(line) {
			if e.Method == "" {
				ids[string(e.ID)] = true
			}
		}
	}
	return ids
}

// methodOf returns the method of the client's request with an id.
func methodOf(id string, lines []string) (method string) {
	for _, line := range lines {
		for _, e := range envelopes(line) {
			if e.Method != "" && string(e.ID) == id {
				method = e.Method
			}
		}
	}
	return method
}

// listed joins names, but not so many that nobody reads them.
func listed(names []string) string {
	const most = 5
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}

// client returns all lines of the client.
func (c *Conversation) client() (lines []string) {
	for _, b := range c.Blocks {
		lines = append(lines, b.Client...)
	}
	return lines
}

// server returns the lines of the server, by block.
func (c *Conversation) server() (blocks [][]string) {
	for _, b := range c.Blocks {
		blocks = append(blocks, b.Server)
	}
	return blocks
}
