package hooks

import (
	"io/fs"
	"os"
)

// Files are none: programs there get no descriptors from others.
func (s *Script) Files() []*os.File { return nil }

// Windows has no mode bits that tell who may write, so everything is accepted.
func checkOwner(string, fs.FileInfo, bool) error { return nil }
func checkFolders(string) error                  { return nil }
