package clients

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
)

// A record is what an installation writes beside the file, so that it can be reversed: the text
// before it (.bak), or, if there was no file, how many folders were created for it (.new).
type record struct {
	bak, new string // paths

	kept    bool // the record exists
	created bool // there was no file before
	text    string
	folders int
}

// recordOf reads the record of an entry in a file, if it exists. It is beside the path that the
// client uses, even if that is a link.
func recordOf(path, name string) (r record, err error) {
	return recordAt(path + "." + NameOf(name) + ".mcp-bash")
}

// recordAt reads the record in the files whose paths begin with start, if it exists.
func recordAt(start string) (r record, err error) {
	r = record{bak: start + ".bak", new: start + ".new"}
	if r.text, r.kept, err = read(r.bak); err != nil || r.kept {
		return r, err
	}
	text, found, err := read(r.new)
	if err != nil || !found {
		return r, err
	}
	r.folders, err = strconv.Atoi(strings.TrimSpace(text))
	if err != nil {
		return r, fmt.Errorf("%s should hold a number: delete it", r.new)
	}
	r.kept, r.created = true, true
	return r, nil
}

// keep writes the record, unless a valid one exists.
func (r record) keep(before string, created bool, folders int, access files.Access) error {
	if r.kept {
		return nil
	}
	if err := r.drop(); err != nil {
		return err
	}
	if created {
		return files.Edit(r.new, []byte(strconv.Itoa(folders)+"\n"), access, nil)
	}
	return files.Edit(r.bak, []byte(before), access, nil)
}

// drop deletes the record.
func (r record) drop() error {
	for _, path := range []string{r.bak, r.new} {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
