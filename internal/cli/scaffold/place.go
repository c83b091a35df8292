package scaffold

import (
	"errors"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
)

// A Place is a folder that files are made in, as a user in the current folder refers to it.
type Place struct {
	Path  string // absolute
	From  string // relative to the current folder, with slashes; empty for the current folder
	Named bool   // -C named it, so the commands to type next need -C too
}

// PlaceAt describes a folder, which must exist.
func PlaceAt(at string, named bool) (Place, error) {
	abs, err := filepath.Abs(at)
	if err != nil {
		return Place{}, err
	}
	if info, err := os.Stat(abs); err != nil {
		return Place{}, console.Usagef("folder %q: %w", at, errors.Unwrap(err))
	} else if !info.IsDir() {
		return Place{}, console.Usagef("%q is a file; name a folder", at)
	}
	here, err := os.Getwd()
	if err != nil {
		return Place{}, err
	}
	from, err := filepath.Rel(here, abs)
	switch {
	case err != nil: // another drive
		from = abs
	case from == ".":
		from = ""
	}
	return Place{abs, filepath.ToSlash(from), named}, nil
}

// All converts paths relative to the place to paths relative to the current folder.
func (at Place) All(paths []string) []string {
	all := []string{}
	for _, p := range paths {
		all = append(all, path.Join(at.From, p))
	}
	return all
}

// Command returns what to type in the current folder for a command at the place.
func (at Place) Command(words []string) string {
	switch program := words[0]; {
	case program == "mcp-bash" && at.Named:
		words = append([]string{program, "-C", path.Join(".", at.From)}, words[1:]...)
	case program == "cd":
		words = []string{program, path.Join(at.From, words[1])}
	case strings.Contains(program, "/"):
		words = append([]string{path.Join(at.From, program)}, words[1:]...)
	}
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = console.Quote(w)
	}
	return strings.Join(quoted, " ")
}
