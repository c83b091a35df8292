package serving

import "os"

// WhenUnread does nothing on Windows: a closed pipe is noticed when it is written
// to.
func WhenUnread(*os.File, func()) {}
