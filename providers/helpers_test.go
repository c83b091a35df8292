package providers

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcp-bash/mcp-bash/v2/internal/process"
	"github.com/mcp-bash/mcp-bash/v2/internal/run"
)

// faults are the errors that a read may return.
var faults = []error{ErrNotFound, ErrBadURI, ErrOutside, ErrDenied, ErrTooLarge, ErrUnavailable}

// faultIn returns the one fault in an error, nil if there is none.
func faultIn(err error) error {
	for _, f := range faults {
		if errors.Is(err, f) {
			return f
		}
	}
	return nil
}

// runIn returns a function that runs commands in a folder, as in the server.
func runIn(dir string) Run {
	r := &run.Runtime{Runner: &process.Runner{}, Root: dir, Log: slog.New(slog.DiscardHandler)}
	return func(ctx context.Context, c Command) (Output, error) {
		out, err := r.Run(ctx, run.Command(c))
		return Output(out), err
	}
}

// write creates a file and its parent folders and returns its path.
func write(t testing.TB, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// link creates a symbolic link, or skips the test if that is not allowed.
func link(t testing.TB, target, path string) {
	t.Helper()
	if err := os.Symlink(target, path); err != nil {
		t.Skip("the system does not allow this user to make links: ", err)
	}
}

// fileURI returns the URI of a path.
func fileURI(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // C:/a
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

// read returns the contents from a provider as JSON, or the text of its error.
func read(t testing.TB, p interface {
	Read(context.Context, string) ([]Content, error)
}, uri string) string {
	t.Helper()
	contents, err := p.Read(t.Context(), uri)
	if err != nil {
		return err.Error()
	}
	var lines []string
	for _, c := range contents {
		b, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(b))
	}
	return strings.Join(lines, "\n")
}
