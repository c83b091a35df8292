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
// goes to stderr. The stream ends the program when it is closed: by the end of
// its input, and where that does not help, by killing it.
func Command(argv, environ []string, stderr io.Writer) (io.ReadWriteCloser, error) {
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
	return &program{ReadCloser: out, in: in, cmd: cmd}, nil
}

type program struct {
	io.ReadCloser
	in  io.WriteCloser
	cmd *exec.Cmd
}

func (p *program) Write(b []byte) (int, error) { return p.in.Write(b) }

func (p *program) Close() error {
	p.in.Close()
	kill := time.AfterFunc(goodbye, func() { _ = p.cmd.Process.Kill() })
	defer kill.Stop()
	_, _ = io.Copy(io.Discard, p.ReadCloser) // what it still writes; it ends with the program
	_ = p.cmd.Wait()                         // how a server exits that nobody needs any more is its own affair
	return nil
}
