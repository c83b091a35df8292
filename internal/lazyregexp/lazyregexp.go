// Package lazyregexp compiles regular expressions when they are first used, so that they cost
// nothing at the start of a program.
package lazyregexp

import (
	"regexp"
	"sync"
)

// New returns a func that returns the regular expression, always the same. It panics if the text
// is not one.
func New(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
