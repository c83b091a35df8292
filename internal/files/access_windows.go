package files

import (
	"io/fs"
	"os"
)

// giveTo does nothing: on Windows, the folder decides who may use its files.
func giveTo(*os.File, fs.FileInfo) error { return nil }
