package adopt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
	"github.com/mcp-bash/mcp-bash/v2/internal/files"
	"github.com/mcp-bash/mcp-bash/v2/internal/script"
)

// Open finds a script, or a program on the PATH of env, and reads a script. One that is not to be copied
// may be of any kind and size: then nothing is known of it.
func Open(path string, env []string, inPlace bool) (s Source, r Reading, err error) {
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return s, r, console.Usagef("%s is a folder; name the scripts in it", path)
	case err != nil && (strings.ContainsRune(path, '/') || strings.ContainsRune(path, filepath.Separator)):
		return s, r, console.Usagef("%s: %w", path, errors.Unwrap(err))
	case err != nil:
		if s.Name, s.program = path, script.LookPath(path, env); s.program == "" {
			return s, r, console.Usagef("%s is neither a file here nor a program on the PATH", path)
		}
		return s, r, nil
	}
	if s.Path, err = filepath.Abs(path); err != nil {
		return s, r, err
	}
	s.program = s.Path
	s.Text, err = files.Read(s.Path, ScriptBytes)
	switch {
	case err != nil && !inPlace:
		return s, r, fmt.Errorf("%s: %w; use --in-place for a program that is not a script", s.Path, err)
	case err != nil:
		return s, r, nil
	case !inPlace && isBinary(s.Text):
		return s, r, fmt.Errorf("%s is a program, not a script; use --in-place to refer to it where it is", s.Path)
	}
	return s, Read(s.Path, s.Text), nil
}

// isBinary reports whether a text is that of a program.
func isBinary(text []byte) bool { return bytes.IndexByte(text[:min(1024, len(text))], 0) >= 0 }

const (
	helpTime  = 10 * time.Second
	helpBytes = 256 << 10
)

// Help runs the script or program with --help and reads what it prints.
func (s Source) Help(ctx context.Context, env []string) (Reading, error) {
	ctx, cancel := context.WithTimeout(ctx, helpTime)
	defer cancel()
	runner := &script.Runner{}
	defer runner.Close(0)
	printed := &script.Head{Limit: helpBytes}
	_, err := runner.Run(ctx, script.Command{Path: s.program, Args: []string{"--help"}, Env: env, Stdout: printed, Stderr: printed})
	if err != nil {
		return Reading{}, fmt.Errorf("%s --help: %w", s.program, err)
	}
	return ReadHelp(string(printed.Bytes())), nil
}
