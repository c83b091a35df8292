package catalog

import (
	"cmp"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"

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
