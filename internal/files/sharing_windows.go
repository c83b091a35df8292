package files

import "io/fs"

// sharing cannot be told from mode bits there.
func sharing(fs.FileInfo) (own, others bool) { return true, false }
