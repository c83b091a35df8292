package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
)

// A client talks to one server over its standard streams. It does as little as
// possible, since its own work is part of every measured time.
type client struct {
	cmd *exec.Cmd
	in  *os.File
	out *bufio.Reader
	id  int
}

// start starts the command of a server. The session is not open yet.
func start(command []string) (*client, error) {
	inRead, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, outWrite, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stdin, cmd.Stdout = inRead, outWrite
	err = cmd.Start()
	inRead.Close()
	outWrite.Close()
	if err != nil {
		return nil, err
	}
	return &client{cmd: cmd, in: in, out: bufio.NewReaderSize(out, 1<<20)}, nil
}

const initialize = `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}`

// open starts a server and opens a session.
func open(command []string) (*client, error) {
	c, err := start(command)
	if err != nil {
		return nil, err
	}
	if _, err := c.call("initialize", initialize); err != nil {
		c.close()
		return nil, err
	}
	return c, c.notify("notifications/initialized", "{}")
}

// call sends a request and returns the line that answers it.
func (c *client) call(method, params string) ([]byte, error) {
	id, err := c.send(method, params)
	if err != nil {
		return nil, err
	}
	return c.answer(id)
}

func (c *client) send(method, params string) (int, error) {
	c.id++
	_, err := c.in.WriteString(`{"jsonrpc":"2.0","id":` + strconv.Itoa(c.id) +
		`,"method":"` + method + `","params":` + params + "}\n")
	return c.id, err
}

func (c *client) notify(method, params string) error {
	_, err := c.in.WriteString(`{"jsonrpc":"2.0","method":"` + method + `","params":` + params + "}\n")
	return err
}

// answer reads lines up to the answer to the request with the given id.
func (c *client) answer(id int) ([]byte, error) {
	for {
		line, err := c.line()
		if err != nil {
			return nil, err
		}
		got, ok, err := idOf(line)
		if err != nil {
			return nil, err
		}
		if ok && got == id {
			return line, nil
		}
	}
}

func (c *client) line() ([]byte, error) {
	line, err := c.out.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		long := bytes.Clone(line)
		var rest []byte
		rest, err = c.out.ReadBytes('\n')
		line = append(long, rest...)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.cmd.Path, err)
	}
	return line, nil
}

// idOf returns the id of an answer. It reads only the line's start: all measured
// servers write the id before the result.
func idOf(line []byte) (id int, ok bool, err error) {
	head := line[:min(len(line), 64)]
	_, after, found := bytes.Cut(head, []byte(`"id":`))
	if !found || bytes.Contains(head, []byte(`"method"`)) {
		return 0, false, nil
	}
	for _, b := range after {
		if b < '0' || b > '9' {
			break
		}
		id = id*10 + int(b-'0')
	}
	if bytes.Contains(line[:min(len(line), 256)], []byte(`"error":{`)) {
		return id, true, fmt.Errorf("an error came back: %s", line)
	}
	return id, true, nil
}

// list requests all pages of the tools and returns the number of tools.
func (c *client) list() (tools int, err error) {
	params := "{}"
	for {
		line, err := c.call("tools/list", params)
		if err != nil {
			return 0, err
		}
		// The names are counted instead of decoded: the client's work counts too.
		tools += bytes.Count(line, []byte(`"name":"tool-`))
		_, cursor, more := bytes.Cut(line[max(0, len(line)-512):], []byte(`"nextCursor":"`))
		if !more {
			if _, cursor, more = bytes.Cut(line[:min(len(line), 512)], []byte(`"nextCursor":"`)); !more {
				return tools, nil
			}
		}
		cursor, _, _ = bytes.Cut(cursor, []byte(`"`))
		quoted, err := json.Marshal(string(cursor))
		if err != nil {
			return 0, err
		}
		params = `{"cursor":` + string(quoted) + "}"
	}
}

// callTool calls a tool without arguments and waits for its result.
func (c *client) callTool(name string) error {
	_, err := c.call("tools/call", `{"name":"`+name+`","arguments":{}}`)
	return err
}

// close ends the input and waits for the process.
func (c *client) close() error {
	c.in.Close()
	return c.cmd.Wait()
}
