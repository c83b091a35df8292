package hooks

import _ "embed"

// Library is the bash that comes before what runs a hook: the functions that a hook may call,
// whichever it is.
//
//go:embed lib.sh
var Library string
