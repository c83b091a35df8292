package scaffold

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
	"github.com/mcp-bash/mcp-bash/v2/internal/lazyregexp"
)

// ErrName is wrapped by the errors for an invalid name or language.
var ErrName = console.Usagef("cannot be used")

// ErrTaken is wrapped by the errors for a name that is taken.
var ErrTaken = errors.New("already exists")

var (
	// goodName matches names of tools (T-13) that are not hidden files on any system.
	goodName = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$`)
	// devices matches names that Windows reserves, with any extension.
	devices = lazyregexp.New(`(?i)^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)`)
)

// CheckName returns an error unless a name is valid for a file or folder on any system
// and in the protocol. The error is an ErrName.
func CheckName(name string) error {
	switch {
	case name == "":
		return fmt.Errorf("an empty name %w; give it one", ErrName)
	case len(name) > 128:
		return fmt.Errorf("a name of %d characters %w; 128 are the most", len(name), ErrName)
	case !goodName.Get().MatchString(name):
		return fmt.Errorf("name %q %w: write letters A-Z a-z and digits, and also - _ . but not first", name, ErrName)
	case devices.Get().MatchString(name):
		return fmt.Errorf("name %q %w: Windows keeps it for a device; choose another", name, ErrName)
	case strings.HasSuffix(name, "."):
		return fmt.Errorf("name %q %w: Windows drops the dot at its end; leave it out", name, ErrName)
	case name == "node_modules":
		return fmt.Errorf("name %q %w: the server looks into no folder called so; choose another", name, ErrName)
	case name == "tools", name == "server.d":
		return fmt.Errorf("name %q %w: what holds a folder called so is taken for a project; choose another", name, ErrName)
	}
	return nil
}

// NameOf derives a valid name from the name of a folder: "My Tools!" becomes My-Tools. It
// is empty if nothing valid remains.
func NameOf(folder string) string {
	name := strings.Join(strings.FieldsFunc(folder, func(r rune) bool {
		return r > unicode.MaxASCII || !strings.ContainsRune("_.-", r) && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}), "-")
	name = strings.Trim(name[:min(len(name), 128)], "_.-")
	if CheckName(name) != nil {
		return ""
	}
	return name
}

// title formats a name for people: weather-report becomes Weather Report.
func title(name string) string {
	words := strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune("-_.", r) })
	for i, word := range words {
		first, size := utf8.DecodeRuneInString(word)
		words[i] = string(unicode.ToTitle(first)) + word[size:]
	}
	return strings.Join(words, " ")
}

// free returns an error if a name is taken in a folder of the root: by a folder, or by
// a file such as hello.sh, or metadata such as hello.meta.json.
func free(root, folder, name string) error {
	taken := func(entry string) error {
		return fmt.Errorf("%s/%s %w; choose another name, or move it away", folder, entry, ErrTaken)
	}
	at := filepath.Join(root, filepath.FromSlash(folder))
	if _, err := os.Lstat(filepath.Join(at, name)); err == nil {
		return taken(name)
	}
	entries, err := os.ReadDir(at)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		file := e.Name()
		if e.IsDir() {
			continue
		}
		stem := strings.TrimSuffix(file, filepath.Ext(file))
		if stem == name || strings.HasPrefix(file, name+".meta.") {
			return taken(file)
		}
	}
	return nil
}
