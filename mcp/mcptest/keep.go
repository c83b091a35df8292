package mcptest

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// Keep creates two files in a folder, for the messages between a client and a server that is a
// separate process. [Kept] checks them.
func Keep(folder string) (sent, written *os.File, err error) {
	folder, err = os.MkdirTemp(folder, "run.")
	if err != nil {
		return nil, nil, err
	}
	sent, errSent := os.Create(filepath.Join(folder, "sent"))
	written, errWritten := os.Create(filepath.Join(folder, "written"))
	return sent, written, errors.Join(errSent, errWritten)
}

// Kept checks all files of Keep in a folder. The servers must have ended.
func Kept(t testing.TB, folder string) {
	t.Helper()
	runs, err := os.ReadDir(folder)
	if err != nil {
		t.Error(err)
	}
	for _, run := range runs {
		sent, errSent := os.ReadFile(filepath.Join(folder, run.Name(), "sent"))
		written, errWritten := os.ReadFile(filepath.Join(folder, run.Name(), "written"))
		if err := errors.Join(errSent, errWritten); err != nil {
			t.Error(err)
		}
		New(t).Played(sent, written)
	}
}
