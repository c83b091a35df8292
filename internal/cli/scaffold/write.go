package scaffold

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
)

// A Report is the outcome of a plan: paths relative to the root, with slashes.
type Report struct {
	Created []string // new files
	Kept    []string // existing files that were not changed
	Changed []string // existing files to which something was appended
}

// Write creates the files of a plan in root, an existing folder. Nothing is
// overwritten: an existing file is kept if the plan allows it, otherwise the error is
// an ErrTaken. After an error, such as the end of ctx, no file of the plan is left.
func (p Plan) Write(ctx context.Context, root string) (report Report, err error) {
	var made []string // created files and folders, in order
	defer func() {
		if err != nil {
			report = Report{}
			for _, path := range slices.Backward(made) {
				os.Remove(path) // a folder that is in use by now stays
			}
		}
	}()
	for _, f := range p.Files {
		if err := ctx.Err(); err != nil {
			return report, err
		}
		path := filepath.Join(root, filepath.FromSlash(f.Path))
		if f.Append {
			if err := appendTo(path, f.Text); err != nil {
				return report, err
			}
			report.Changed = append(report.Changed, f.Path)
			continue
		}
		if err := inside(root, filepath.Dir(path)); err != nil {
			return report, err
		}
		folders, err := files.MakeFolders(filepath.Dir(path))
		made = append(made, folders...)
		if err != nil {
			return report, err
		}
		switch err := create(path, f); {
		case err == nil:
			made = append(made, path)
			report.Created = append(report.Created, f.Path)
		case !errors.Is(err, fs.ErrExist):
			return report, err
		case p.Keep:
			report.Kept = append(report.Kept, f.Path)
		default:
			return report, fmt.Errorf("%s %w; choose another name, or move it away", f.Path, ErrTaken)
		}
	}
	return report, nil
}

// inside returns an error if a link in the project leads a folder out of it: what is written there is
// that of somebody else.
func inside(root, folder string) error {
	for ; ; folder = filepath.Dir(folder) {
		real, err := filepath.EvalSymlinks(folder)
		if errors.Is(err, fs.ErrNotExist) && filepath.Dir(folder) != folder {
			continue
		}
		top, topErr := filepath.EvalSymlinks(root)
		if err != nil || topErr != nil {
			return nil // creating a file says what is wrong
		}
		if out, err := filepath.Rel(top, real); err == nil && !filepath.IsLocal(out) && len(folder) > len(root) {
			return fmt.Errorf("%s is a link to %s, which is outside of the project: put a folder in its place", folder, real)
		}
		return nil
	}
}

// sourceBytes is the maximum size of a file that is changed.
const sourceBytes = 16 << 20

// create writes a new file, completely or not at all.
func create(path string, f File) error {
	mode := fs.FileMode(0o644) // not writable by others, or the server would not trust hooks
	if f.Executable {
		mode = 0o755
	}
	return files.Make(path, []byte(f.Text), mode)
}

// appendTo appends to an existing file, on a new line.
func appendTo(path, text string) error {
	before, err := files.Read(path, sourceBytes)
	if err != nil {
		return err
	}
	if len(before) > 0 && before[len(before)-1] != '\n' {
		text = "\n" + text
	}
	w, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	_, err = w.WriteString(text)
	return errors.Join(err, w.Close())
}
