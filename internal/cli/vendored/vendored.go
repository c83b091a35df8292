// Package vendored keeps a copy of this program in a project, so that the project works without an
// installed mcp-bash:
//
//	.mcp-bash/bin/mcp-bash   the program, for this platform (mcp-bash.exe on Windows)
//	.mcp-bash/VERSION        its version
//	.mcp-bash/vendor.json    describes the copy, with the sums for [Verify]
//	run-server.sh            starts it; this is what clients run
//	run-server.cmd           the same, on Windows
//
// The paths are those of the Bash program, so that whatever starts a copy of it can start this one.
package vendored

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed" // of the starters
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

// Dir is the folder of the copy in a project.
const Dir = ".mcp-bash"

// recordFile describes a copy, and is not part of it.
const recordFile = "vendor.json"

//go:embed run-server.sh
var runServer string

//go:embed run-server.cmd
var runServerCmd string

// A Record is the content of vendor.json.
type Record struct {
	Version string            `json:"version"`
	SHA256  string            `json:"sha256"` // of the lines PATH:SHA256 of all files, sorted
	From    string            `json:"vendored_from"`
	At      time.Time         `json:"vendored_at"`
	Files   map[string]string `json:"files"` // their sums, by path
}

// ErrThere is returned if there is a copy already.
var ErrThere = errors.New("there is a copy already")

// A Source is what is copied.
type Source struct {
	Program string // the path of this program
	Version string
	From    string // origin of the program, for people
	At      time.Time
}

// Starters returns the scripts in the project that start the copy, the script for this system first.
// Authors may write their own.
func Starters() []string {
	if runtime.GOOS == "windows" {
		return []string{"run-server.cmd", "run-server.sh"}
	}
	return []string{"run-server.sh"}
}

func starterText(name string) string {
	if filepath.Ext(name) == ".cmd" {
		return strings.ReplaceAll(runServerCmd, "\n", "\r\n") // for cmd.exe
	}
	return runServer
}

// Files returns the names of the files of a copy, with slashes.
func Files() []string { return []string{programName(), versionFile, recordFile} }

const versionFile = "VERSION"

func programName() string {
	if runtime.GOOS == "windows" {
		return "bin/mcp-bash.exe"
	}
	return "bin/mcp-bash"
}

// Check returns an error if a copy must not be made in dir: [ErrThere] if a copy exists, unless it is
// to be upgraded, and another error for a folder that holds something else. What [Copy] leaves when
// it is killed is neither: it is replaced.
func Check(dir string, upgrade bool) error {
	if err := unlinked(dir); err != nil {
		return err
	}
	_, err := os.Lstat(filepath.Join(dir, recordFile))
	switch {
	case err == nil && upgrade:
		return nil
	case err == nil:
		return ErrThere
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	ours, err := unfinished(dir)
	if err == nil && !ours {
		err = fmt.Errorf("%s holds other things, and no %s; name an empty folder", dir, recordFile)
	}
	return err
}

// unfinished reports whether dir, which has no record, holds nothing but what a copy that was not
// finished leaves.
func unfinished(dir string) (bool, error) {
	for folder, ours := range map[string]func(fs.DirEntry) bool{
		dir: func(e fs.DirEntry) bool {
			return e.Name() == "bin" && e.IsDir() || isOrBecomes(e, versionFile) || isOrBecomes(e, recordFile)
		},
		filepath.Join(dir, "bin"): func(e fs.DirEntry) bool {
			return isOrBecomes(e, "mcp-bash") || isOrBecomes(e, "mcp-bash.exe") // also of another system
		},
	} {
		entries, err := os.ReadDir(folder)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return false, err
		}
		for _, e := range entries {
			if !ours(e) {
				return false, nil
			}
		}
	}
	return true, nil
}

// isOrBecomes reports whether e is the file called name, or was to become it.
func isOrBecomes(e fs.DirEntry, name string) bool {
	return e.Type().IsRegular() && (e.Name() == name || files.IsTemporary(e.Name(), name))
}

// Copy makes the copy in dir, a folder of a project, replacing an existing copy. It writes missing
// [Starters] beside dir. Until everything is on the disk, it changes nothing of an existing copy, and
// the end of ctx leaves that as it was. What follows takes no time and no space; should it be killed
// even then, vendor.json, which comes last, does not match, and [Check] allows to make the copy again.
func Copy(ctx context.Context, dir string, s Source) (Record, error) {
	r := Record{Version: s.Version, From: s.From, At: s.At.UTC().Truncate(time.Second)}
	if err := unlinked(dir); err != nil {
		return r, err
	}
	if err := os.MkdirAll(filepath.Join(dir, "bin"), 0o755); err != nil {
		return r, err
	}
	fresh, err := prepare(ctx, dir, s, &r)
	defer func() {
		for _, f := range fresh {
			f.Drop()
		}
	}()
	if err != nil {
		return r, err
	}
	if err := writeStarters(filepath.Dir(dir)); err != nil {
		return r, err
	}
	if err := ctx.Err(); err != nil {
		return r, err
	}
	if err := removeOthers(dir, fresh); err != nil {
		return r, err
	}
	for _, f := range fresh {
		if err := f.Put(); err != nil {
			return r, err
		}
	}
	return r, nil
}

// A prepared is a file of the copy that is not in its place yet.
type prepared struct {
	*files.Prepared
	name string // with slashes
	sum  string
}

// prepare writes the files of the copy under temporary names, the record last, and completes the record.
// After an error, it returns those that it has written.
func prepare(ctx context.Context, dir string, s Source, r *Record) (fresh []prepared, err error) {
	program, _, err := files.Open(s.Program)
	if err != nil {
		return nil, err
	}
	defer program.Close()
	add := func(name string, perm fs.FileMode, content io.Reader) error {
		f, err := prepareFile(ctx, dir, name, perm, content)
		if err == nil {
			fresh = append(fresh, f)
		}
		return err
	}
	if err := add(programName(), 0o755, program); err != nil {
		return fresh, err
	}
	if err := add(versionFile, 0o644, strings.NewReader(s.Version+"\n")); err != nil {
		return fresh, err
	}
	r.Files = make(map[string]string)
	for _, f := range fresh {
		r.Files[f.name] = f.sum
	}
	r.SHA256 = digest(r.Files)
	data, err := json.Marshal(r, json.Deterministic(true), json.WithIndent("  "))
	if err != nil {
		return fresh, err
	}
	return fresh, add(recordFile, 0o644, bytes.NewReader(append(data, '\n')))
}

// prepareFile writes a file of the copy under a temporary name, until ctx ends.
func prepareFile(ctx context.Context, dir, name string, perm fs.FileMode, content io.Reader) (prepared, error) {
	h := sha256.New()
	f, err := files.Prepare(filepath.Join(dir, filepath.FromSlash(name)), perm, func(w io.Writer) error {
		_, err := io.Copy(io.MultiWriter(w, h), files.Until(ctx, content))
		return err
	})
	return prepared{f, name, hex.EncodeToString(h.Sum(nil))}, err
}

// writeStarters writes the missing [Starters] of a project.
func writeStarters(project string) error {
	for _, name := range Starters() {
		starter := filepath.Join(project, name)
		if _, err := os.Lstat(starter); !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err := files.Replace(starter, []byte(starterText(name)), 0o755); err != nil {
			return err
		}
	}
	return nil
}

// unlinked returns an error if a copy would be written, or an old copy removed, through a symbolic link.
func unlinked(dir string) error {
	for _, folder := range []string{dir, filepath.Join(dir, "bin")} {
		info, err := os.Lstat(folder)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return err
		case info.Mode()&fs.ModeSymlink != 0:
			return fmt.Errorf("%s is a symbolic link; remove it, so that nothing is written to where it leads", folder)
		}
	}
	return nil
}

// removeOthers removes files of an older copy, such as a copy of the Bash program, that the new copy
// does not have. Files that will be replaced stay until then: the program may be running, and without
// the record nobody could tell what the folder is.
func removeOthers(dir string, fresh []prepared) error {
	keep := map[string]bool{"bin": true}
	for _, f := range fresh {
		keep[f.name], keep[path.Join(path.Dir(f.name), f.Temporary())] = true, true
	}
	var all error
	for _, folder := range []string{"", "bin"} {
		entries, err := os.ReadDir(filepath.Join(dir, folder))
		all = errors.Join(all, err)
		for _, e := range entries {
			if name := path.Join(folder, e.Name()); !keep[name] {
				all = errors.Join(all, os.RemoveAll(filepath.Join(dir, filepath.FromSlash(name))))
			}
		}
	}
	return all
}

// Verify compares the copy in dir with its vendor.json and returns the differences, sorted by path.
// The error means that there is nothing to compare.
func Verify(dir string) (Record, []Difference, error) {
	var r Record
	data, err := files.Read(filepath.Join(dir, recordFile), 1<<20)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil, fmt.Errorf("%s has no copy yet; make one with `mcp-bash vendor`", dir)
	} else if err != nil {
		return r, nil, err
	}
	if err := json.Unmarshal(data, &r); err != nil {
		return r, nil, fmt.Errorf("%s: %w; make a new copy with `mcp-bash vendor --upgrade`",
			filepath.Join(dir, recordFile), err)
	}
	if err := unlinked(dir); err != nil {
		return r, nil, err
	}
	now, unsafe, err := look(dir)
	if err != nil {
		return r, nil, err
	}
	return r, append(compare(r, now), unsafe...), nil
}
