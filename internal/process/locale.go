package process

import (
	"os"
	"slices"
	"strings"
	"sync"
)

// WithLocale returns env, as NAME=value, with a UTF-8 LC_CTYPE if it names no locale, as desktop clients
// start servers: in the C locale of a shell, and of many languages, a character is a byte, and half an Ä is
// not UTF-8. env itself does not change. A system without a known UTF-8 locale gets none, since shells
// complain about one that does not exist.
func WithLocale(env []string) []string {
	return withLocale(env, utf8Locale())
}

func withLocale(env []string, locale string) []string {
	named := slices.ContainsFunc(env, func(v string) bool {
		name, value, _ := strings.Cut(v, "=")
		return value != "" && (name == "LC_ALL" || name == "LC_CTYPE" || name == "LANG")
	})
	if named || locale == "" {
		return env
	}
	return With(env, "LC_CTYPE="+locale)
}

// locales has alternately a folder that exists where a UTF-8 locale does, and the name of that locale: glibc,
// the BSDs and macOS. In musl every locale is UTF-8, and so it is in Git Bash.
var locales = []string{
	"/usr/lib/locale/C.utf8", "C.UTF-8",
	"/usr/lib/locale/C.UTF-8", "C.UTF-8",
	"/usr/share/locale/C.UTF-8", "C.UTF-8",
	"/usr/share/locale/en_US.UTF-8", "en_US.UTF-8",
	"/usr/lib/locale/en_US.utf8", "en_US.UTF-8",
}

// utf8Locale returns the name of a UTF-8 locale of this machine; empty if none is known.
var utf8Locale = sync.OnceValue(func() string {
	for i := 0; i < len(locales); i += 2 {
		if _, err := os.Stat(locales[i]); err == nil {
			return locales[i+1]
		}
	}
	return ""
})
