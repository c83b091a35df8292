// Package lazyregexp compiles regular expressions when they are first used, so that they cost
// nothing at the start of a program.
package lazyregexp

import (
	"regexp"
	"sync"
)

// A Regexp is a regular expression that is compiled once.
type Regexp struct {
	text     string
	once     sync.Once
	compiled *regexp.Regexp
}

// New returns the regular expression with that text. It does so little that the compiler does it: a
// variable that is set by it needs no code before main.
func New(text string) *Regexp { return &Regexp{text: text} }

// Get returns the compiled expression, always the same. It panics if the text is not one.
func (r *Regexp) Get() *regexp.Regexp {
	r.once.Do(func() { r.compiled = regexp.MustCompile(r.text) })
	return r.compiled
}
