package adopt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
	"github.com/mcp-bash/mcp-bash/v2/internal/files"
	"github.com/mcp-bash/mcp-bash/v2/internal/process"
)

// Open finds a script, or a program on the PATH of env, and reads a script. One that is not to be copied
// may be of any kind and size: then nothing is known of it.
func Open(path string, env []string, inPlace bool) (s Source, err error) {
	_, err = os.Stat(path)
	switch {
	case err != nil && (strings.ContainsRune(path, '/') || strings.ContainsRune(path, filepath.Separator)):
		return s, console.Usagef("%s: %w", path, errors.Unwrap(err))
	case err != nil:
		if s.Name, s.program = path, process.LookPath(path, env); s.program == "" {
			return s, console.Usagef("%s is neither a file here nor a program on the PATH", path)
		}
		return s, nil
	}
	s.InPlace = inPlace
	if s.Path, err = filepath.Abs(path); err != nil {
		return s, err
	}
	s.program = s.Path
	why := ""
	switch s.Text, s.Reading, why = load(s.Path); {
	case inPlace && (why == tooLarge || why == compiled):
		return s, nil
	case why != "":
		return s, fmt.Errorf("%s %s", s.Path, why)
	}
	if s.missing(s.Path, env); s.Beside && !inPlace {
		s.InPlace = true
		s.doubt(0, "it uses files in its own folder, so the tool runs it where it is, and not a copy")
	}
	return s, nil
}

const (
	tooLarge = "has more than 1 MiB, so it is hardly a script; use --in-place to refer to it where it is"
	compiled = "is a program, not a script; use --in-place to refer to it where it is"
)

// load reads a script, or says why a file is not one that can be started.
func load(file string) (text []byte, r Reading, why string) {
	text, err := files.Read(file, ScriptBytes)
	var fault *fs.PathError
	switch {
	case errors.Is(err, files.ErrTooLarge):
		return nil, r, tooLarge
	case errors.As(err, &fault):
		return nil, r, "cannot be read: " + fault.Err.Error()
	case err != nil:
		return nil, r, "cannot be read: " + err.Error()
	}
	if why = noScript(file, text); why == "" {
		r = Read(file, text)
		why = r.Idle
	}
	return text, r, why
}

// isProgram reports whether a text is that of a program for Linux, macOS or Windows.
func isProgram(text []byte) bool {
	for _, magic := range []string{"\x7fELF", "MZ", "\xfe\xed\xfa", "\xcf\xfa\xed\xfe", "\xca\xfe\xba\xbe"} {
		if bytes.HasPrefix(text, []byte(magic)) {
			return isBinary(text)
		}
	}
	return false
}

// noScript says why a file cannot be a script, and what to do. It is empty for one that can.
func noScript(name string, text []byte) string {
	switch {
	case isProgram(text):
		return compiled
	case isBinary(text):
		return "is not a script: it is not text"
	case len(bytes.TrimSpace(text)) == 0:
		return "is empty"
	case !utf8.Valid(text):
		valid := text[:bytes.IndexRune(text, utf8.RuneError)] // which is the first byte that is not
		return fmt.Sprintf("is not in UTF-8, see line %d; convert it first, as with iconv -f latin1 -t utf-8",
			1+bytes.Count(valid, []byte("\n")))
	case !bytes.HasPrefix(bytes.TrimPrefix(text, []byte("\uFEFF")), []byte("#!")) && language(name, text) == "":
		return "is not a script: it has no #! line, and its name does not say its language"
	}
	return ""
}

// isBinary reports whether a text is that of a program.
func isBinary(text []byte) bool { return bytes.IndexByte(text[:min(1024, len(text))], 0) >= 0 }

const (
	helpTime  = 10 * time.Second
	helpBytes = 256 << 10
)

// Help runs the script or program with --help, or its subcommand with -h, which opens no manual, and adds what it
// prints to the reading.
func (s *Source) Help(ctx context.Context, env []string) error {
	help, err := s.help(ctx, env)
	if err == nil {
		help.repeats()
		s.RunHelp = true
		s.Complete(help)
	}
	return err
}

func (s *Source) help(ctx context.Context, env []string) (Reading, error) {
	ctx, cancel := context.WithTimeout(ctx, helpTime)
	defer cancel()
	runner := &process.Runner{}
	defer runner.Close(0)
	printed := func(args ...string) (string, error) {
		out := &process.Head{Limit: helpBytes}
		_, err := runner.Run(ctx, process.Command{Path: s.program, Args: args, Env: env, Stdout: out, Stderr: out})
		if err != nil {
			err = fmt.Errorf("%s %s: %w", s.program, strings.Join(args, " "), err)
		}
		return string(out.Bytes()), err
	}
	help, err := printed("--help")
	if err != nil || s.Command == "" {
		return ReadHelp(withPlaces(help), filepath.Base(s.program)), err
	}
	var r Reading
	for _, flag := range []string{"-h", "--help"} { // the first opens no manual, but may mean something else
		var text string
		if text, err = printed(s.Command, flag); err != nil {
			return r, err
		}
		if r = ReadHelp(s.own(withPlaces(text)), s.Command); len(r.Options) > 0 {
			break
		}
	}
	if len(r.Options)+len(r.Positions) == 0 && !r.Known {
		return r, fmt.Errorf("%s %s --help shows no usage; is there such a subcommand?", s.program, s.Command)
	}
	listed := regexp.MustCompile(`(?m)^[ \t]+` + regexp.QuoteMeta(s.Command) + `\b[^,\n]*?[ \t]{2,}(\S.*)$`)
	if m := listed.FindStringSubmatch(help); m != nil {
		r.Description = m[1]
	}
	return r, nil
}
