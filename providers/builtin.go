package providers

import "maps"

// BuiltIn returns the schemes that the server itself provides, without a script of the project, by
// the names of their scripts in the Bash program.
func BuiltIn() map[string]string { return maps.Clone(builtIn) }

var builtIn = map[string]string{"echo": "echo", "file": "file", "git": "git+https", "https": "https", "ui": "ui"}
