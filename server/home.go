package server

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
	"github.com/mcp-bash/mcp-bash/v2/internal/sdk"
)

// installHome returns a function that creates the folder MCPBASH_HOME of scripts at its first call,
// and again if something of it is gone: systems delete old temporary files. It contains the SDK,
// with the path of the program for helpers without a channel, and the built-in providers as
// scripts.
func installHome(home, program string) func() (string, error) {
	var mu sync.Mutex
	return func() (string, error) {
		mu.Lock()
		defer mu.Unlock()
		if files.Exists(filepath.Join(home, "sdk", "tool-sdk.sh")) &&
			(program == "" || files.Exists(filepath.Join(home, "providers", "file.sh"))) {
			return home, nil
		}
		if _, err := sdk.Install(filepath.Join(home, "sdk")); err != nil {
			return "", err
		}
		if program == "" {
			return home, nil
		}
		path := []byte(filepath.ToSlash(program) + "\n")
		if err := os.WriteFile(filepath.Join(home, "sdk", "program"), path, 0o600); err != nil {
			return "", err
		}
		return home, installProviders(filepath.Join(home, "providers"), program)
	}
}

// installProviders writes a script for each built-in provider, which calls the program.
func installProviders(dir, program string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	self := strings.ReplaceAll(filepath.ToSlash(program), "'", `'\''`)
	for name := range BuiltIn() {
		text := fmt.Sprintf("#!/bin/sh\nexec '%s' provider %s \"$@\"\n", self, name)
		if err := os.WriteFile(filepath.Join(dir, name+".sh"), []byte(text), 0o700); err != nil {
			return err
		}
	}
	return nil
}
