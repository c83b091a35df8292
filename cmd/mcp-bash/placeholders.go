package main

import (
	"regexp"
	"slices"
	"sync"
)

// placeholder is a setting of a bundle that its user left empty: clients then pass the name of the
// setting on instead of a value.
var placeholder = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[^=]+=\$\{user_config\.[A-Za-z0-9_]+\}$`) })

// withoutPlaceholders is the environment without variables that have no value.
func withoutPlaceholders(environ []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), placeholder().MatchString)
}
