package main

import (
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"

	"github.com/spf13/pflag"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/dial"
	"github.com/mcp-bash/mcp-bash/v2/internal/files"
	"github.com/mcp-bash/mcp-bash/v2/internal/remote"
)

// elsewhere is the server at the URL that flags name.
type elsewhere struct{ url, tokenFile, tokenEnv string }

func (e *elsewhere) add(f *pflag.FlagSet) {
	f.StringVar(&e.url, "url", "", "use the server at this `URL`, by Streamable HTTP")
	f.StringVar(&e.tokenFile, "token-file", "",
		"send the bearer token in this `file` to --url; it is read for each request")
	f.StringVar(&e.tokenEnv, "token-env", "", "send the bearer token in this `variable` to --url")
}

// server returns the server; argv, the command of another one, must not be given besides.
func (e elsewhere) server(p program, argv []string) (s remote.Server, err error) {
	s = remote.Server{URL: e.url, Agent: "mcp-bash/" + version}
	switch value := p.env[e.tokenEnv]; {
	case e.url == "" && e.tokenFile+e.tokenEnv != "":
		err = errors.New("--token-file and --token-env need --url")
	case e.url != "" && argv != nil:
		err = errors.New("give either --url or a command after --, not both")
	case e.tokenFile != "" && e.tokenEnv != "":
		err = errors.New("give one of --token-file and --token-env only")
	case e.tokenEnv != "" && value == "":
		err = fmt.Errorf("--token-env %s: the variable is not set", e.tokenEnv)
	case e.tokenEnv != "":
		s.Token = func() (string, error) { return value, nil }
	case e.tokenFile != "":
		s.Token = e.readToken
		_, err = e.readToken()
	}
	if err == nil && e.url != "" {
		if err = s.Check(); err != nil {
			err = fmt.Errorf("--url: %w", err)
		}
	}
	if err != nil {
		return s, console.UsageError{Err: err}
	}
	return s, nil
}

func (e elsewhere) readToken() (string, error) {
	text, err := files.Read(e.tokenFile, 64<<10)
	token := strings.TrimSpace(string(text))
	if err == nil && (token == "" || strings.ContainsAny(token, "\r\n")) {
		err = fmt.Errorf("%s does not have one line with a token", e.tokenFile)
	}
	if err != nil {
		return "", fmt.Errorf("--token-file: %w", err)
	}
	return token, nil
}

// A peer is a server that was dialled: what is written to it reaches it, and its output is read.
type peer interface {
	io.ReadWriteCloser
	CloseWrite() error
}

// dial reaches the server at the URL, or else starts the command argv.
func (e elsewhere) dial(p program, argv, environ []string, stderr io.Writer) (peer, error) {
	s, err := e.server(p, argv)
	if err != nil {
		return nil, err
	}
	if e.url != "" {
		return remote.Open(s), nil
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env, cmd.Stderr = environ, stderr
	program, err := dial.Start(cmd)
	if err != nil {
		return nil, console.Usagef("cannot start %s: %w", argv[0], err)
	}
	return program, nil
}
