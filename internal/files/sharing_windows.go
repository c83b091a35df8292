package files

import "io/fs"

// sharing returns a fixed result, since Windows has no mode bits for it.
func sharing(fs.FileInfo) (own, others bool) { return true, false }
