package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/mcp-bash/mcp-bash/v2/internal/sdk"
)

// installHome returns what puts the folder there that scripts know as MCPBASH_HOME, at
// the first call, and again if something of it is gone: temporary files that are old get
// cleaned up. In it are the SDK, and the built-in providers as scripts.
func installHome(home string) func() (string, error) {
	var mu sync.Mutex
	return func() (string, error) {
		mu.Lock()
		defer mu.Unlock()
		if exists(filepath.Join(home, "sdk", "tool-sdk.sh")) && exists(filepath.Join(home, "providers", "file.sh")) {
			return home, nil
		}
		if _, err := sdk.Install(filepath.Join(home, "sdk")); err != nil {
			return "", err
		}
		return home, installProviders(filepath.Join(home, "providers"))
	}
}

// installProviders writes for each provider of ours the script that calls it.
func installProviders(dir string) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("cannot install the providers: %w", err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	self = strings.ReplaceAll(filepath.ToSlash(self), "'", `'\''`)
	for name := range providerSchemes {
		text := fmt.Sprintf("#!/bin/sh\nexec '%s' provider %s \"$@\"\n", self, name)
		if err := os.WriteFile(filepath.Join(dir, name+".sh"), []byte(text), 0o700); err != nil {
			return err
		}
	}
	return nil
}
