// The floor is the minimal server of a folder of tools in Go: it decodes a line,
// handles it and encodes the answer. It does not validate, does not end processes
// that a script leaves behind, and supports one revision. The additional time of
// another server is the cost of doing more.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"log"
	"os"
	"strconv"
	"sync"

	"github.com/mcp-bash/mcp-bash/v2/bench/project"
)

const pageSize = 100

type request struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

type server struct {
	dir string

	mu      sync.Mutex
	out     *bufio.Writer
	cancels map[string]context.CancelFunc
	calls   sync.WaitGroup

	tools  []project.Tool
	byName map[string]project.Tool
	pages  map[string][]byte
}

func main() {
	s := &server{dir: os.Args[1], out: bufio.NewWriterSize(os.Stdout, 64<<10), cancels: map[string]context.CancelFunc{}}
	in := bufio.NewReaderSize(os.Stdin, 64<<10)
	for {
		line, err := readLine(in)
		if err != nil {
			break
		}
		s.serve(line)
		if in.Buffered() == 0 {
			s.mu.Lock()
			s.out.Flush()
			s.mu.Unlock()
		}
	}
	s.calls.Wait()
	s.out.Flush()
}

var ping = []byte(`"method":"ping"`)

func (s *server) serve(line []byte) {
	var r request
	if id, ok := pingID(line); ok {
		s.answer(id, []byte("{}"), false)
		return
	}
	if err := json.Unmarshal(line, &r); err != nil {
		log.Fatal(err)
	}
	switch r.Method {
	case "initialize":
		s.answer(r.ID, []byte(`{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},`+
			`"serverInfo":{"name":"floor","version":"1"}}`), false)
	case "tools/list":
		var p struct{ Cursor string }
		json.Unmarshal(r.Params, &p)
		s.answer(r.ID, s.page(p.Cursor), false)
	case "tools/call":
		var p struct {
			Name      string
			Arguments json.RawMessage
		}
		json.Unmarshal(r.Params, &p)
		s.load()
		tool := s.byName[p.Name]
		ctx, cancel := context.WithCancel(context.Background())
		s.mu.Lock()
		s.cancels[string(r.ID)] = cancel
		s.mu.Unlock()
		s.calls.Go(func() {
			text, err := tool.Run(ctx, p.Arguments)
			s.mu.Lock()
			delete(s.cancels, string(r.ID))
			s.mu.Unlock()
			if ctx.Err() != nil {
				return
			}
			cancel()
			s.answer(r.ID, result(text, err != nil), true)
		})
	case "notifications/cancelled":
		var p struct{ RequestID json.RawMessage }
		json.Unmarshal(r.Params, &p)
		s.mu.Lock()
		if cancel := s.cancels[string(p.RequestID)]; cancel != nil {
			cancel()
		}
		s.mu.Unlock()
	}
}

// pingID returns the id of a ping in the exact form in which the benchmark writes it.
func pingID(line []byte) ([]byte, bool) {
	const before = `{"jsonrpc":"2.0","id":`
	if !bytes.HasPrefix(line, []byte(before)) {
		return nil, false
	}
	id, rest, ok := bytes.Cut(line[len(before):], []byte(","))
	return id, ok && bytes.HasPrefix(rest, ping)
}

func (s *server) load() {
	if s.tools != nil {
		return
	}
	tools, err := project.Load(s.dir)
	if err != nil {
		log.Fatal(err)
	}
	s.tools, s.byName, s.pages = tools, map[string]project.Tool{}, map[string][]byte{}
	for _, t := range tools {
		s.byName[t.Name] = t
	}
}

func (s *server) page(cursor string) []byte {
	s.load()
	if page, ok := s.pages[cursor]; ok {
		return page
	}
	from, _ := strconv.Atoi(cursor)
	to := min(from+pageSize, len(s.tools))
	page := struct {
		Tools      []project.Tool `json:"tools"`
		NextCursor string         `json:"nextCursor,omitempty"`
	}{Tools: s.tools[from:to]}
	if to < len(s.tools) {
		page.NextCursor = strconv.Itoa(to)
	}
	data, err := json.Marshal(page)
	if err != nil {
		log.Fatal(err)
	}
	s.pages[cursor] = data
	return data
}

func result(text string, failed bool) []byte {
	type content struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	data, err := json.Marshal(struct {
		Content []content `json:"content"`
		IsError bool      `json:"isError"`
	}{[]content{{"text", text}}, failed})
	if err != nil {
		log.Fatal(err)
	}
	return data
}

func (s *server) answer(id, result []byte, flush bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.out.WriteString(`{"jsonrpc":"2.0","id":`)
	s.out.Write(id)
	s.out.WriteString(`,"result":`)
	s.out.Write(result)
	s.out.WriteString("}\n")
	if flush {
		s.out.Flush()
	}
}

// readLine returns the next line, valid until the next call unless it is a long one.
func readLine(r *bufio.Reader) ([]byte, error) {
	line, err := r.ReadSlice('\n')
	if err != bufio.ErrBufferFull {
		return line, err
	}
	long := append([]byte(nil), line...)
	rest, err := r.ReadBytes('\n')
	return append(long, rest...), err
}
