package adopt

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/scaffold"
	"github.com/mcp-bash/mcp-bash/v2/internal/files"
	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

// A Record says what a tool was made of, so that its original can be read again. It is in a hidden file beside the
// metadata of the tool.
type Record struct {
	// From is what it is made of, as in argv: a path, relative to the project if it is in it, or the name of a program.
	From    string `json:"from"`
	Command string `json:"command,omitempty"` // of the program
	RunHelp bool   `json:"runHelp,omitzero"`
	InPlace bool   `json:"inPlace,omitzero"`
	Copy    string `json:"sha256,omitempty"` // of the copy of the script

	// What the original says. Where the metadata of the tool differs, its user has changed that.
	Metadata json.Value `json:"metadata"`
}

// recordBytes is the maximum size of a record.
const recordBytes = 4 << 20

// recordOf returns the path of the record beside a metadata file: .NAME.adopted.json for NAME.meta.json.
func recordOf(metadata string) string {
	folder, name := filepath.Split(metadata)
	stem, _, _ := strings.Cut(name, ".meta.")
	return folder + "." + stem + ".adopted.json"
}

// IsRecord reports whether a path is that of a record.
func IsRecord(name string) bool {
	return strings.HasPrefix(path.Base(name), ".") && strings.HasSuffix(name, ".adopted.json")
}

// ReadRecord returns the record of the tool that has this metadata file.
func ReadRecord(metadata string) (r Record, err error) {
	name := recordOf(metadata)
	text, err := files.Read(name, recordBytes)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return r, fmt.Errorf("%s was not made by adopt, or before it kept %s: "+
			"adopt its script under another --name, and take over what you need", metadata, filepath.Base(name))
	case err != nil:
		return r, err
	}
	if err = json.Unmarshal(text, &r); err == nil && (r.From == "" || r.Metadata.Kind() != '{') {
		err = errors.New(`it has no "from" or no "metadata"`)
	}
	if err != nil {
		err = fmt.Errorf("%s cannot be read: %w; restore it, or adopt the script under another --name", name, err)
	}
	return r, err
}

// record returns the file with the record of a tool whose metadata is at a path.
func (s *Source) record(root, metadata string) scaffold.File {
	r := Record{From: s.firstWord(root), Command: s.Command, RunHelp: s.RunHelp, InPlace: s.InPlace, Metadata: s.original}
	if !s.InPlace && s.Path != "" {
		r.Copy = sumOf(s.Text)
	}
	return scaffold.File{Path: recordOf(metadata), Text: string(file(json.Encode(r)))}
}

func sumOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// A Change is a file of a tool as it is, and as its original wants it.
type Change struct {
	Path          string // absolute
	Name          string // as its user calls it
	Before, After string
}

// Update returns how the files of a tool change so that they are what its original, which has been read again, and its
// user want: its script, which is empty for one that is not a copy, its metadata, and its record. Kept are the places
// in the metadata that both have changed, where what the user has written stays.
func (s *Source) Update(root string, r Record, script, metadata string) (changes []Change, kept []string, err error) {
	if !strings.HasSuffix(metadata, ".json") {
		return nil, nil, fmt.Errorf("%s is not JSON, as adopt has written it: convert it first", metadata)
	}
	if s.InPlace && !r.InPlace {
		return nil, nil, fmt.Errorf("%s now uses files in its own folder, which a copy cannot find: "+
			"adopt it with --in-place under another --name", s.Path)
	}
	change := func(path string, after func(before []byte) ([]byte, error)) {
		if err != nil {
			return
		}
		var before, text []byte
		if before, err = files.Read(path, recordBytes); err == nil {
			if text, err = after(before); err == nil && string(text) != string(before) {
				changes = append(changes, Change{Path: path, Before: string(before), After: string(text)})
			}
		}
	}
	if r.Copy != "" {
		change(script, func(before []byte) ([]byte, error) {
			if sum := sumOf(before); sum != r.Copy && sum != sumOf(s.Text) {
				return nil, fmt.Errorf("%s was changed after adopt had copied it: make the changes in %s instead, and put the "+
					"copy back, or adopt that under another --name", script, s.Path)
			}
			return s.Text, nil
		})
	}
	s.draft(root)
	change(metadata, func(before []byte) (after []byte, err error) {
		if after, kept, err = merged(r.Metadata, before, s.original); err != nil {
			err = fmt.Errorf("%s: %w", metadata, err)
		}
		return after, err
	})
	change(recordOf(metadata), func([]byte) ([]byte, error) { return []byte(s.record(root, metadata).Text), nil })
	return changes, kept, err
}
