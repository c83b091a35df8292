package process

import (
	"strings"
	"testing"

	"github.com/matryer/is"
)

func TestScriptsGetAUTF8LocaleOnlyWhereNoLocaleIsNamed(t *testing.T) {
	for env, want := range map[string]string{
		"HOME=/h":               "HOME=/h LC_CTYPE=C.UTF-8",
		"LANG= LC_ALL= HOME=/h": "LANG= LC_ALL= HOME=/h LC_CTYPE=C.UTF-8",
		"LC_CTYPE= LC_TIME=C":   "LC_TIME=C LC_CTYPE=C.UTF-8",
		"LANG=de_DE.UTF-8":      "LANG=de_DE.UTF-8",
		"LC_CTYPE=UTF-8":        "LC_CTYPE=UTF-8",
		"LC_ALL=C":              "LC_ALL=C", // as its author wants it
	} {
		is := is.New(t)
		is.Equal(strings.Join(withLocale(strings.Fields(env), "C.UTF-8"), " "), want) // env
	}
	is := is.New(t)
	is.Equal(withLocale([]string{"HOME=/h"}, ""), []string{"HOME=/h"}) // a shell complains about a locale that does not exist
}
