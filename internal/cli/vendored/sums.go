package vendored

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
)

// A Difference is a file that has changed since the copy was made.
type Difference struct {
	Path string `json:"path"`
	What string `json:"what"` // changed, missing, or not part of the copy; or what is wrong with its mode
}

// look returns the SHA-256 sums of all files below dir except vendor.json, by path with slashes, and reports what has
// a mode that prevents the copy from starting, or lets others change it.
func look(dir string) (sums map[string]string, unsafe []Difference, err error) {
	sums = make(map[string]string)
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		switch {
		case d.IsDir() || name == recordFile:
		case d.Type().IsRegular():
			sums[name], err = sum(path)
		default:
			sums[name] = d.Type().String() // never a sum
			return nil
		}
		if err != nil {
			return err
		}
		found, err := modeOf(name, d)
		unsafe = append(unsafe, found...)
		return err
	})
	return sums, unsafe, err
}

// modeOf reports what is wrong with the mode of a file or folder. Group permissions are not checked, because they are
// lost when a project is copied, by git for example. Windows has no modes.
func modeOf(name string, d fs.DirEntry) (found []Difference, err error) {
	info, err := d.Info()
	if err != nil || runtime.GOOS == "windows" {
		return nil, err
	}
	mode := info.Mode()
	if mode&0o002 != 0 && mode&fs.ModeSticky == 0 {
		found = append(found, Difference{name, "can be written by everybody"})
	}
	if mode&(fs.ModeSetuid|fs.ModeSetgid) != 0 && !d.IsDir() {
		found = append(found, Difference{name, "runs with the rights of its owner"})
	}
	if name == programName() && mode&0o111 == 0 {
		found = append(found, Difference{name, "is not executable"})
	}
	return found, nil
}

func sum(path string) (string, error) {
	f, _, err := files.OpenUnlinked(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// digest returns the sum of the lines PATH:SUM, sorted by path.
func digest(files map[string]string) string {
	var b strings.Builder
	for _, path := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(&b, "%s:%s\n", path, files[path])
	}
	sum := sha256.Sum256([]byte(b.String()))
	return hex.EncodeToString(sum[:])
}

// compare reports how the sums now differ from those in a record, and whether the record agrees with
// itself.
func compare(r Record, now map[string]string) []Difference {
	all := maps.Clone(now)
	maps.Copy(all, r.Files)
	var found []Difference
	for _, path := range slices.Sorted(maps.Keys(all)) {
		was, recorded := r.Files[path]
		is, there := now[path]
		switch {
		case !there:
			found = append(found, Difference{path, "missing"})
		case !recorded:
			found = append(found, Difference{path, "not part of the copy"})
		case was != is:
			found = append(found, Difference{path, "changed"})
		}
	}
	if digest(r.Files) != r.SHA256 {
		found = append(found, Difference{recordFile, "changed: its sha256 is not that of its files"})
	}
	return found
}
