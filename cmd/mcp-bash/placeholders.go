package main

import (
	"slices"
	"strings"
)

// isPlaceholder reports whether a variable holds the name of a bundle's setting instead of a value:
// that is what clients pass for a setting that the user left empty.
func isPlaceholder(variable string) bool {
	name, value, _ := strings.Cut(variable, "=")
	setting, isSetting := strings.CutPrefix(value, "${user_config.")
	setting, isWhole := strings.CutSuffix(setting, "}")
	other := func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	}
	return name != "" && isSetting && isWhole && setting != "" && !strings.ContainsFunc(setting, other)
}

// withoutPlaceholders returns the environment without the variables that hold a placeholder.
func withoutPlaceholders(environ []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), isPlaceholder)
}
