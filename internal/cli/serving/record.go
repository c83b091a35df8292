package serving

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/spf13/pflag"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/trace"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// A Recorder is the file to which messages are recorded, and how: the flags of all commands that serve.
type Recorder struct {
	File  string // empty: nothing is recorded
	MaxMB int64  // of the file; see Open
	Steps bool   // also what each stage does with each message
}

// Flags adds the flags.
func (r *Recorder) Flags(f *pflag.FlagSet) {
	f.StringVar(&r.File, "record", "", "append every message to this `file`, for `mcp-bash explain` and `replay`; "+
		"what looks like a secret is left out")
	f.Int64Var(&r.MaxMB, "record-max", DefaultRecordMB, "`megabytes` of a recording; then it is renamed to FILE.1, in "+
		"place of an older one, and a new one is begun; 0: no limit")
	f.BoolVar(&r.Steps, "record-steps", false, "record also what each stage does with each message")
}

// DefaultRecordMB is the default of [Recorder.MaxMB].
const DefaultRecordMB = 64

// Open opens the file: a new one that only this user can read, or an earlier recording, to which messages are
// appended. Its lines name the session, so that several servers can write at the same time. A file that reaches
// its limit is renamed to that name with .1, and a new one is begun. The tracer gets what is to be recorded, and then
// passes each step to next, nil if neither is asked for. Without a file w is nil.
func (r Recorder) Open(secrets []string, next pipeline.Tracer) (
	w io.Writer, tracer pipeline.Tracer, done func() error, err error) {
	switch {
	case r.File == "" && r.Steps:
		return nil, nil, nil, errors.New("--record-steps needs --record, which names the file")
	case r.MaxMB < 0:
		return nil, nil, nil, errors.New("--record-max must be 0 or more")
	case r.File == "":
		return nil, next, func() error { return nil }, nil
	}
	f := &recording{path: r.File, max: r.MaxMB << 20}
	if err := errors.Join(appendable(r.File), f.open()); err != nil {
		return nil, nil, nil, fmt.Errorf("--record: %w", err)
	}
	if tracer = next; r.Steps {
		steps := trace.New(f, trace.Options{Format: trace.Recorded, Secrets: secrets}).Step
		if tracer = steps; next != nil {
			tracer = func(s pipeline.Step) { steps(s); next(s) }
		}
	}
	return f, tracer, f.close, nil
}

// A recording is a file that is replaced when it is full.
type recording struct {
	path string
	max  int64 // bytes; 0: any number

	mu   sync.Mutex
	file *os.File
	size int64
}

func (r *recording) open() (err error) {
	if r.file, err = os.OpenFile(r.path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600); err != nil {
		return err
	}
	info, err := r.file.Stat()
	if err == nil {
		r.size = info.Size()
	}
	return err
}

// Write writes whole lines at once.
func (r *recording) Write(lines []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.max > 0 && r.size > 0 && r.size+int64(len(lines)) > r.max {
		if err := r.renew(); err != nil {
			return 0, err
		}
	}
	n, err := r.file.Write(lines)
	r.size += int64(n)
	return n, err
}

// renew begins a new file, unless another server that writes to it has done so.
func (r *recording) renew() error {
	mine, err := r.file.Stat()
	if err := errors.Join(err, r.file.Close()); err != nil { // Windows renames no open file
		return err
	}
	if now, err := os.Stat(r.path); err == nil && now.Mode().IsRegular() && os.SameFile(mine, now) {
		if err := os.Rename(r.path, r.path+".1"); err != nil {
			return err
		}
	}
	return r.open()
}

func (r *recording) close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.file.Close()
}

// maxFirstLine is the maximum size of the first line of a recording.
const maxFirstLine = 64 << 20

// appendable returns an error for a file with other content than a recording: it would be neither
// any more.
func appendable(path string) error {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return nil // opening it tells what is wrong
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	var first struct{ Way string }
	line, _ := bufio.NewReader(io.LimitReader(f, maxFirstLine)).ReadBytes('\n')
	if json.Unmarshal(line, &first) != nil || first.Way == "" {
		return fmt.Errorf("%s is not a recording, so nothing is appended to it; name a new file", path)
	}
	return nil
}
