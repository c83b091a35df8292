package catalog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/document"
	"github.com/mcp-bash/mcp-bash/v2/internal/files"
)

// A Fault is an error in the files of a project, described so that the author can fix it.
type Fault = document.Fault

// sortFaults puts faults in the order of files and lines.
func sortFaults(faults []Fault) {
	slices.SortStableFunc(faults, func(a, b Fault) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Field, b.Field),
			cmp.Compare(a.Reason, b.Reason))
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

// Beyond these sizes a list is still served, with a warning.
const (
	manyEntries = 500
	manyBytes   = 100 << 20
)

// maxShown is how many names of a list are logged.
const maxShown = 20

// firstNames returns the names of entries as they are logged.
func firstNames(entries []Entry) string {
	var names []string
	for _, e := range entries[:min(len(entries), maxShown)] {
		names = append(names, keyOf(e, byName))
	}
	text := strings.Join(names, ", ")
	if more := len(entries) - maxShown; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// sizeWarnings returns a warning for a list that is too large for clients.
func sizeWarnings(folder string, k kind, count, size int) []Fault {
	about := Fault{File: folder, Warning: true}
	switch word := kinds[k].word; {
	case count > manyEntries:
		about.Reason = fmt.Sprintf("there are more than %d %ss; all are served, "+
			"but lists get slow and models lose their way", manyEntries, word)
		about.Hint = "list those that matter in server.d/register.json"
	case size > manyBytes:
		about.Reason = fmt.Sprintf("the metadata of all %ss is more than %d MiB", word, manyBytes>>20)
		about.Hint = "shorten descriptions, schemas and icons"
	default:
		return nil
	}
	return []Fault{about}
}

// clash is the fault of the second of two entries with one name or address.
func clash(second, first *item, by lookup, root string) Fault {
	k := second.entry.kind()
	field := k.field(by)
	reason := fmt.Sprintf("is the %s of %s already, so this %s is left out", field, rel(root, first.path), kinds[k].word)
	if first.kind != k {
		reason = fmt.Sprintf("is the name of the %s %s already, so this template is left out", kinds[first.kind].word,
			rel(root, first.path))
	}
	return Fault{File: rel(root, second.path), Field: field,
		Reason: fmt.Sprintf("%q %s", keyOf(second.entry, by), reason),
		Hint:   "give one of the two another " + field}
}

// report logs what was not there before: entries, for those who debug, and faults.
func (l *list) report(before, now *state) {
	if now.err == nil && (before == nil || before.hash != now.hash) &&
		l.o.Logger.Enabled(context.Background(), slog.LevelDebug) {
		l.o.Logger.Debug("discovered", "list", kinds[l.kind].key, "count", len(now.entries), "names", firstNames(now.entries))
	}
	known := make(map[string]bool)
	if before != nil {
		for _, f := range before.faults {
			known[f.String()] = true
		}
		if before.err != nil {
			known[before.err.Error()] = true
		}
	}
	for _, f := range now.faults {
		if !known[f.String()] {
			l.o.Logger.Warn(f.String())
		}
	}
	if err := now.err; err != nil && !known[err.Error()] {
		l.o.Logger.Error(err.Error(), "list", kinds[l.kind].key)
	}
}
