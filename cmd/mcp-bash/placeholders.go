package main

import (
	"slices"
	"strings"
)

// isPlaceholder reports whether a variable is a setting of a bundle that its user left empty:
// clients then pass the name of the setting on instead of a value.
func isPlaceholder(variable string) bool {
	name, value, _ := strings.Cut(variable, "=")
	setting, isSetting := strings.CutPrefix(value, "${user_config.")
	setting, isWhole := strings.CutSuffix(setting, "}")
	other := func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	}
	return name != "" && isSetting && isWhole && setting != "" && !strings.ContainsFunc(setting, other)
}

// withoutPlaceholders is the environment without variables that have no value.
func withoutPlaceholders(environ []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), isPlaceholder)
}
