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
	_ "embed" // of the starters
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
	"github.com/mcp-bash/mcp-bash/v2/internal/jsonv2"
	"github.com/mcp-bash/mcp-bash/v2/internal/jsonv2/jsontext"
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
// to be upgraded, and another error for a folder that holds something else.
func Check(dir string, upgrade bool) error {
	if err := unlinked(dir); err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	_, err = os.Lstat(filepath.Join(dir, recordFile))
	switch {
	case err == nil && !upgrade:
		return ErrThere
	case err != nil && len(entries) > 0:
		return fmt.Errorf("%s holds other things, and no %s; name an empty folder", dir, recordFile)
	}
	return nil
}

// Copy makes the copy in dir, a folder of a project, replacing an existing copy. vendor.json is
// written last, so that an interrupted copy does not verify. It writes missing [Starters] beside
// dir.
func Copy(dir string, s Source) (Record, error) {
	r := Record{Version: s.Version, From: s.From, At: s.At.UTC().Truncate(time.Second)}
	program, _, err := files.Open(s.Program)
	if err != nil {
		return r, err
	}
	defer program.Close()
	if err := unlinked(dir); err != nil {
		return r, err
	}
	at := filepath.Join(dir, filepath.FromSlash(programName()))
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		return r, err
	}
	if err := removeOthers(dir); err != nil {
		return r, err
	}
	if err := files.ReplaceWith(at, 0o755, func(w io.Writer) error {
		_, err := io.Copy(w, program)
		return err
	}); err != nil {
		return r, err
	}
	if err := files.Replace(filepath.Join(dir, versionFile), []byte(s.Version+"\n"), 0o644); err != nil {
		return r, err
	}
	for _, name := range Starters() {
		starter := filepath.Join(filepath.Dir(dir), name)
		if _, err := os.Lstat(starter); !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err := files.Replace(starter, []byte(starterText(name)), 0o755); err != nil {
			return r, err
		}
	}
	if r.Files, err = sums(dir); err != nil {
		return r, err
	}
	r.SHA256 = digest(r.Files)
	data, err := jsonv2.Marshal(r, jsonv2.Deterministic(true), jsontext.WithIndent("  "))
	if err != nil {
		return r, err
	}
	return r, files.Replace(filepath.Join(dir, recordFile), append(data, '\n'), 0o644)
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
// does not have. The program stays until the new one replaces it: it may be running.
func removeOthers(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() != "bin" {
			err = errors.Join(err, os.RemoveAll(filepath.Join(dir, e.Name())))
		}
	}
	inBin, listErr := os.ReadDir(filepath.Join(dir, "bin"))
	err = errors.Join(err, listErr)
	for _, e := range inBin {
		if "bin/"+e.Name() != programName() {
			err = errors.Join(err, os.RemoveAll(filepath.Join(dir, "bin", e.Name())))
		}
	}
	return err
}

// Verify compares the copy in dir with its vendor.json and returns the differences, sorted by path.
// The error means that there is nothing to compare.
func Verify(dir string) (Record, []Difference, error) {
	var r Record
	data, err := files.Read(filepath.Join(dir, recordFile), 1<<20)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil, fmt.Errorf("there is no copy in %s; make one with `mcp-bash vendor`", dir)
	} else if err != nil {
		return r, nil, err
	}
	if err := jsonv2.Unmarshal(data, &r); err != nil {
		return r, nil, fmt.Errorf("%s: %w; make a new copy with `mcp-bash vendor --upgrade`", filepath.Join(dir, recordFile), err)
	}
	if err := unlinked(dir); err != nil {
		return r, nil, err
	}
	now, err := sums(dir)
	if err != nil {
		return r, nil, err
	}
	unsafe, err := modes(dir)
	return r, append(compare(r, now), unsafe...), err
}
