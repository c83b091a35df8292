package hooks

import _ "embed"

// library defines the functions that every hook may call.
//
//go:embed lib.sh
var library string
