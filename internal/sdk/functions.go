package sdk

import (
	"bytes"
	"io/fs"
	"slices"
	"strings"
)

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
