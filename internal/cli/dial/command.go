package dial

import (
	"fmt"
	"io"
	"os/exec"
	"time"
)

// goodbye is how long a program may take to end after its input has ended.
const goodbye = 2 * time.Second

// Command starts a program that serves MCP over its standard streams. Its stderr
// goes to stderr. Close the program.
func Command(argv, environ []string, stderr io.Writer) (*Program, error) {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env, cmd.Stderr = environ, stderr
	cmd.WaitDelay = goodbye
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("cannot start %s: %w", argv[0], err)
	}
	return &Program{ReadCloser: out, in: in, cmd: cmd}, nil
}

// A Program is a running server process: Write writes to its stdin, Read reads from
// its stdout.
type Program struct {
	io.ReadCloser
	in  io.WriteCloser
	cmd *exec.Cmd
}

// Write writes to the program's stdin.
func (p *Program) Write(b []byte) (int, error) { return p.in.Write(b) }

// CloseWrite ends the program's input. Its remaining output can still be read.
func (p *Program) CloseWrite() error { return p.in.Close() }

// Close ends the program: by the end of its input, or if that does not end it, by
// killing it. It does not wait for processes that the program leaves behind, which may keep
// its output open.
func (p *Program) Close() error {
	p.in.Close()
	kill := time.AfterFunc(goodbye, func() { _ = p.cmd.Process.Kill() })
	defer kill.Stop()
	go func() { _, _ = io.Copy(io.Discard, p.ReadCloser) }() // a full pipe would keep it from ending; Wait closes it
	_ = p.cmd.Wait()                                         // the exit status does not matter any more
	return nil
}
