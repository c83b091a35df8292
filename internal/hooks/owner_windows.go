package hooks

import (
	"io/fs"
	"os"
)

// files is empty: programs there inherit no descriptors.
func (s *Script) files() []*os.File { return nil }

// Windows has no mode bits that tell who may write, so everything is accepted.
func checkOwner(string, fs.FileInfo, bool) error { return nil }
func checkFolders(string) error                  { return nil }
