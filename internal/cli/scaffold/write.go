package scaffold

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
)

// A Report is what became of a plan: paths from the root, with slashes.
type Report struct {
	Created []string // files that are new
	Kept    []string // files that were there, and are as they were
	Changed []string // files that were there, and have got something
}

// Write makes the files of a plan in root, a folder that exists. Nothing is
// overwritten: a file that exists is kept where the plan says so, else the error is
// an ErrTaken. After an error nothing of the plan is there.
func (p Plan) Write(root string) (report Report, err error) {
	var made []string // files and folders, in the order in which they were made
	defer func() {
		if err != nil {
			report = Report{}
			for _, path := range slices.Backward(made) {
				os.Remove(path) // a folder that somebody else uses by now stays
			}
		}
	}()
	for _, f := range p.Files {
		path := filepath.Join(root, filepath.FromSlash(f.Path))
		if f.Append {
			if err := appendTo(path, f.Text); err != nil {
				return report, err
			}
			report.Changed = append(report.Changed, f.Path)
			continue
		}
		folders, err := mkdir(filepath.Dir(path))
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

// sourceBytes is how large a file may be that is read to change it.
const sourceBytes = 16 << 20

// create writes a file that does not exist, all of it or nothing.
func create(path string, f File) error {
	mode := fs.FileMode(0o644) // for nobody else to write, or the server trusts no hooks
	if f.Executable {
		mode = 0o755
	}
	return files.Make(path, []byte(f.Text), mode)
}

// appendTo writes to the end of a file that exists, on a line of its own.
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

// mkdir makes a folder and those above it, and returns those that it made.
func mkdir(path string) (made []string, err error) {
	if _, err := os.Stat(path); err == nil {
		return nil, nil // if it is a file, creating one in it tells
	}
	if parent := filepath.Dir(path); parent != path {
		if made, err = mkdir(parent); err != nil {
			return made, err
		}
	}
	if err := os.Mkdir(path, 0o755); err != nil {
		return made, err
	}
	return append(made, path), nil
}
