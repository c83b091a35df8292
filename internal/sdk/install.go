package sdk

import (
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed shell
var shellFiles embed.FS

// Install writes the SDK into a folder, which it makes private to the user, and returns
// the path for MCP_SDK. Existing files are replaced.
func Install(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("cannot install the SDK: %w", err)
	}
	err = fs.WalkDir(shellFiles, "shell", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		inside, err := filepath.Rel("shell", filepath.FromSlash(path))
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.MkdirAll(filepath.Join(dir, inside), 0o700)
		}
		content, err := shellFiles.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, inside), content, 0o600)
	})
	if err != nil {
		return "", fmt.Errorf("cannot install the SDK: %w", err)
	}
	return dir, os.Chmod(dir, 0o700)
}

// Functions returns the names of the SDK's public shell functions, in alphabetical order.
func Functions() []string {
	var names []string
	// reading embedded files does not fail
	_ = fs.WalkDir(shellFiles, "shell", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".sh") {
			return err
		}
		text, err := shellFiles.ReadFile(path)
		for line := range bytes.Lines(text) {
			name, _, isFunction := strings.Cut(strings.TrimLeft(string(line), "\t "), "()")
			if isFunction && strings.HasPrefix(name, "mcp_") && !strings.ContainsAny(name, " \t#\"'$") {
				names = append(names, name)
			}
		}
		return err
	})
	slices.Sort(names)
	return slices.Compact(names)
}
