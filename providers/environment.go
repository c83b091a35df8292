package providers

import (
	"slices"
	"strings"
)

// always are what programs need to work at all.
var always = []string{
	"PATH", "HOME", "TMPDIR", "LANG",
	"SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "TEMP", "TMP", "USERPROFILE", // Windows
}

// with returns env with more variables, which take the place of those with the same names: of
// two with one name, programs differ in which one they see.
func with(env []string, more ...string) []string {
	names := make(map[string]bool, len(more))
	for _, v := range more {
		name, _, _ := strings.Cut(v, "=")
		names[name] = true
	}
	kept := slices.DeleteFunc(slices.Clone(env), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return names[name]
	})
	return append(kept, more...)
}
