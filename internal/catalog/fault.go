package catalog

import (
	"cmp"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf8"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
)

// A Fault is an error in the files of a project, described so that the author can fix it. It prints
// as
//
//	tools/x/tool.meta.json:12: inputSchema: must be an object, not a string; write {"type":"object"}
type Fault struct {
	File    string // relative to the root, with slashes; absolute if it is outside
	Line    int    // counted from 1; 0 if it is not about a line
	Field   string // the metadata field, as in annotations.title; may be empty
	Reason  string // what is wrong
	Hint    string // what to do; may be empty
	Warning bool   // the entry is served nevertheless
}

func (f Fault) String() string {
	var b strings.Builder
	b.WriteString(printable(f.File))
	if f.Line > 0 {
		b.WriteByte(':')
		b.WriteString(strconv.Itoa(f.Line))
	}
	b.WriteString(": ")
	if f.Field != "" {
		b.WriteString(printable(f.Field))
		b.WriteString(": ")
	}
	b.WriteString(f.Reason)
	if f.Hint != "" {
		b.WriteString("; ")
		b.WriteString(f.Hint)
	}
	return b.String()
}

// oneLine writes foreign text on one line, without control characters.
func oneLine(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	blank := func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }
	return strings.Join(strings.FieldsFunc(text, blank), " ")
}

// printable quotes names that would break a log line, or a terminal.
func printable(name string) string {
	if oddName(name) {
		return strconv.Quote(name)
	}
	return name
}

func oddName(name string) bool {
	return !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl)
}

// sortFaults puts faults in the order of files and lines.
func sortFaults(faults []Fault) {
	sort.SliceStable(faults, func(i, j int) bool {
		a, b := faults[i], faults[j]
		return cmp.Or(
			cmp.Compare(a.File, b.File),
			cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Field, b.Field),
			cmp.Compare(a.Reason, b.Reason),
		) < 0
	})
}

// hasErrors reports whether one of the faults leaves its entry out.
func hasErrors(faults []Fault) bool {
	return slices.ContainsFunc(faults, func(f Fault) bool { return !f.Warning })
}

// rel returns a path as faults show it.
func rel(root, path string) string {
	if inside, ok := files.Inside(root, path); ok {
		path = inside
	}
	return filepath.ToSlash(path)
}

// isMissing reports whether there is no such file, also because its folder is a file.
func isMissing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// cause returns an error of the file system without the path, which faults show themselves, and
// with the same text on all systems for common errors.
func cause(err error) error {
	for _, known := range []error{fs.ErrNotExist, fs.ErrPermission} {
		if errors.Is(err, known) {
			return known
		}
	}
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}
