package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/catalog"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/clients"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
)

// self returns the absolute path that starts this program again: the path that the user called, if
// it leads to this program. If that is a link, such as a package manager makes, it will lead to
// the next version too.
func self() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	if called, err := exec.LookPath(os.Args[0]); err == nil && sameFile(called, path) {
		if path, err = filepath.Abs(called); err != nil {
			return "", err
		}
	}
	for _, name := range strings.Split(filepath.ToSlash(path), "/") {
		if strings.HasPrefix(name, "go-build") {
			return "", errors.New("this mcp-bash was built by `go run`, which deletes it at the end: " +
				"run `go install ./cmd/mcp-bash`, then call mcp-bash")
		}
	}
	return path, nil
}

func sameFile(a, b string) bool {
	infoA, err := os.Stat(a)
	if err != nil {
		return false
	}
	infoB, err := os.Stat(b)
	return err == nil && os.SameFile(infoA, infoB)
}

// server returns the name of the project in the files of clients, and the entry that serves it.
func (p program) server() (name string, e clients.Entry, err error) {
	root, err := p.project()
	if err != nil {
		return "", e, err
	}
	opened, err := catalog.Open(root, catalog.Options{Folders: catalog.Folders{Server: p.env["MCPBASH_SERVER_DIR"]}})
	if err != nil {
		return "", e, console.UsageError{Err: err}
	}
	path, err := self()
	if err != nil {
		return "", e, err
	}
	id, _ := opened.Identity() // always has a name
	return clients.NameOf(id.Name), clients.For(path, opened.Root()), nil
}
