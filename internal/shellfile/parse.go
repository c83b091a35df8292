// Package shellfile parses shell scripts, whatever is in them, and reads those that are data: see
// [ReadAssignments].
package shellfile

import (
	"bytes"
	"errors"
	"fmt"

	"mvdan.cc/sh/v3/syntax"
)

// ErrNotParsed is the error for a script that is not parsed, whatever is in it: the parser, and what
// walks its tree, call themselves for each level of nesting, and a stack that overflows ends the program.
var ErrNotParsed = errors.New("not checked")

// Limits of what is parsed. A level of nesting takes at most 10 KB of the stack, which may have 1 GB.
const (
	parsedBytes = 1 << 20
	nesting     = 50_000 // of the characters below, nested or not
)

// ParseShell parses a shell script. All that parses scripts uses it. The error is [ErrNotParsed], or one
// of package syntax.
func ParseShell(text []byte, lang syntax.LangVariant) (file *syntax.File, err error) {
	if len(text) > parsedBytes {
		return nil, fmt.Errorf("%w: the script has %d bytes, and at most %d are parsed", ErrNotParsed, len(text), parsedBytes)
	}
	deep := 0
	for _, c := range []byte("(|&?`{") {
		deep += bytes.Count(text, []byte{c})
	}
	if deep > nesting {
		return nil, fmt.Errorf("%w: the script has %d of the characters ( | & ? ` {, and with more than %d it could be "+
			"nested too deeply to parse",
			ErrNotParsed, deep, nesting)
	}
	defer func() { // the parser has faults, as with ((a[
		if fault := recover(); fault != nil {
			file, err = nil, fmt.Errorf("%w: the parser failed: %v", ErrNotParsed, fault)
		}
	}()
	return syntax.NewParser(syntax.Variant(lang)).Parse(bytes.NewReader(text), "")
}
