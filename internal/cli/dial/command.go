package dial

import (
	"errors"
	"io"
	"io/fs"
	"os/exec"
	"strings"
	"time"
)

// goodbye is how long a program may take to end after its input has ended.
const goodbye = 2 * time.Second

// Start starts a program that serves MCP over its standard streams; its stdin and stdout are not set yet. Close it.
func Start(cmd *exec.Cmd) (*Program, error) {
	out, written := io.Pipe()
	p := &Program{PipeReader: out, cmd: cmd, written: written, ended: make(chan struct{})}
	cmd.Stdout, cmd.WaitDelay = stdout{p}, goodbye
	var err error
	if p.in, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		p.status = cmd.Wait()
		written.Close()
		close(p.ended)
	}()
	return p, nil
}

// A Program is a running server process: Write writes to its stdin, Read reads from
// its stdout.
type Program struct {
	*io.PipeReader
	in      io.WriteCloser
	cmd     *exec.Cmd
	written *io.PipeWriter
	head    []byte        // the beginning of its stdout
	ended   chan struct{} // closed when it has ended
	status  error         // how
}

// Write writes to the program's stdin.
func (p *Program) Write(b []byte) (int, error) { return p.in.Write(b) }

// CloseWrite ends the program's input. Its remaining output can still be read.
func (p *Program) CloseWrite() error {
	if err := p.in.Close(); !errors.Is(err, fs.ErrClosed) { // by its end
		return err
	}
	return nil
}

// Close ends the program: by the end of its input, or if that does not end it, by
// killing it. Processes that it leaves behind, which may keep its output open, are waited for no longer than that.
func (p *Program) Close() error {
	_ = p.Ended()
	return nil // the exit status does not matter any more
}

// Ended closes the program and returns how it has ended: nil for exit code 0.
func (p *Program) Ended() error {
	p.in.Close()
	p.PipeReader.Close()
	kill := time.AfterFunc(goodbye, func() { _ = p.cmd.Process.Kill() })
	defer kill.Stop()
	<-p.ended
	return p.status
}

// Noise returns the first line that a closed program has written to stdout and that is not a message; empty for none.
func (p *Program) Noise() string {
	for line := range strings.Lines(string(p.head)) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '{' {
			return line[:min(len(line), 80)]
		}
	}
	return ""
}

// stdout passes on what a program writes, as long as it is read, and keeps its beginning. A full pipe would keep the
// program from ending.
type stdout struct{ *Program }

func (s stdout) Write(b []byte) (int, error) {
	const most = 1 << 10
	s.head = append(s.head, b[:min(len(b), most-len(s.head))]...)
	_, _ = s.written.Write(b) // fails when nobody reads any more
	return len(b), nil
}
