package console

import (
	"fmt"

	"mvdan.cc/sh/v3/syntax"
)

// Count returns a number of things in words, as in no tools, 1 tool, 2 tools.
func Count(n int, thing string) string {
	switch n {
	case 0:
		return "no " + thing + "s"
	case 1:
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// Quote quotes a word so that it can be pasted into a shell.
func Quote(word string) string {
	quoted, err := syntax.Quote(word, syntax.LangBash)
	if err != nil { // it has a zero byte, so no shell can take it
		return "''"
	}
	return quoted
}
