package shellfile_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/shellfile"
)

// lenient has the options for server.d/env.sh.
var lenient = shellfile.AssignmentOptions{
	Defaults: true,
	Lookup: func(name string) (string, bool) {
		value, set := map[string]string{"HOME": "/home/me", "EMPTY": ""}[name]
		return value, set
	},
}

// readAssignments returns the assignments, or the first error.
func readAssignments(text string, o shellfile.AssignmentOptions) string {
	var all []string
	err := shellfile.ReadAssignments([]byte(text), "f.sh", o, func(a shellfile.Assignment) error {
		all = append(all, fmt.Sprintf("%d %s=%s", a.Line, a.Name, a.Value))
		if a.Value == "refused" {
			return errors.New("must be something else")
		}
		return nil
	})
	if err != nil {
		first, _, _ := strings.Cut(err.Error(), "\n")
		return first
	}
	return strings.Join(all, ", ")
}

func TestAssignmentsAreReadAsAShellWouldReadThem(t *testing.T) {
	for text, want := range map[string]string{
		"":                                 "",
		"#!/bin/bash\n# nothing\n":         "",
		"A=1\nB='a b' C=\"c d\"\n":         "1 A=1, 2 B=a b, 2 C=c d",
		"export A=1 B=2":                   "1 A=1, 1 B=2",
		"A=1; export A":                    "1 A=1",
		"export HOME":                      "",
		"A=$HOME/x B=${HOME}y":             "1 A=/home/me/x, 1 B=/home/mey",
		"A=1\nA=\"$A$A\"":                  "1 A=1, 2 A=11",
		"A='$HOME' B=\\$HOME":              "1 A=$HOME, 1 B=$HOME",
		"A=\"${A:-x}\" B=${HOME:-x}":       "1 A=x, 1 B=/home/me",
		"A=${EMPTY:-x} B=${NO:-} C=$EMPTY": "1 A=x, 1 B=, 1 C=",
		"A=\"${NO:-$HOME/${NEITHER:-z}}\"": "1 A=/home/me/z",
		"A=\"one\ntwo\"\nB=x":              "1 A=one\ntwo, 3 B=x",
		"A=":                               "1 A=",
		"A=~/x B=a\\ b C=\\~":              "1 A=/home/me/x, 1 B=a b, 1 C=~",
	} {
		t.Run(text, func(t *testing.T) {
			is := is.New(t)
			is.Equal(readAssignments(text, lenient), want)
		})
	}
}

func TestOtherStatementsAreReportedWithTheirLine(t *testing.T) {
	for text, want := range map[string]string{
		"A=1\nset -e":                 `f.sh:2: commands are not run; write NAME="value"`,
		"A=1 rm x":                    `f.sh:1: commands are not run; write NAME="value"`,
		"A=$(id)":                     `f.sh:1: A: $(id) is not evaluated; write plain text`,
		"A=${NO:-$(id)}":              `f.sh:1: A: $(id) is not evaluated; write plain text`,
		"A=${NO:-`id`}":               "f.sh:1: A: `id` is not evaluated; write plain text",
		"A=${NO:=x}":                  `f.sh:1: A: ${NO:=x} is not supported; write plain text or $NAME`,
		"A=${NO-x}":                   `f.sh:1: A: ${NO-x} is not supported; write plain text or $NAME`,
		"A=${!HOME}":                  `f.sh:1: A: ${!HOME} is not supported; write plain text or $NAME`,
		"A=${#HOME}":                  `f.sh:1: A: ${#HOME} is not supported; write plain text or $NAME`,
		"A=${HOME[0]:-x}":             `f.sh:1: A: ${HOME[0]:-x} is not supported; write plain text or $NAME`,
		"A=$1":                        `f.sh:1: A: $1 is not supported; write plain text or $NAME`,
		"A=$NO":                       `f.sh:1: A: $NO is not set here; write '$' for a dollar sign`,
		"A=${NO:-$NEITHER}":           `f.sh:1: A: $NEITHER is not set here; write '$' for a dollar sign`,
		"export NO":                   `f.sh:1: unsupported form of assignment; write NAME="value"`,
		"export -f f":                 `f.sh:1: unsupported form of assignment; write NAME="value"`,
		"A=(a b)":                     `f.sh:1: A: lists are not allowed here; write a single text`,
		"A+=1":                        `f.sh:1: unsupported form of assignment; write NAME="value"`,
		"readonly A=1":                `f.sh:1: readonly is not supported; write NAME="value"`,
		"f() { :; }":                  `f.sh:1: only assignments are allowed; write NAME="value"`,
		"A=refused":                   `f.sh:1: A: must be something else`,
		"\nA='x":                      "f.sh:2: reached EOF without closing quote `'`",
		strings.Repeat("A=1\n", 20e3): `f.sh has 80000 bytes; at most 65536 are read`,
		"A=aaaaaaaa\n" + strings.Repeat("A=$A$A\n", 10): `f.sh:11: A: the value is longer than 4096 bytes`,
	} {
		t.Run(want, func(t *testing.T) {
			is := is.New(t)
			is.Equal(readAssignments(text, lenient), want)
		})
	}
}

func TestAStrictFileSeesOnlyItsOwnVariables(t *testing.T) {
	is := is.New(t)
	is.Equal(readAssignments("A=$HOME", shellfile.AssignmentOptions{}), "f.sh:1: A: $HOME is not set in this file; write '$' for a dollar sign")
	is.Equal(readAssignments("A=${B:-x}", shellfile.AssignmentOptions{}), "f.sh:1: A: ${B:-x} is not supported; write plain text or $NAME")
	is.Equal(readAssignments("A=(a 'b c')", shellfile.AssignmentOptions{Lists: true}), "1 A=a b c")
	is.Equal(readAssignments("A=12345", shellfile.AssignmentOptions{ValueBytes: 4}), "f.sh:1: A: the value is longer than 4 bytes")
}

func FuzzAssignmentsRunNothing(f *testing.F) {
	for _, seed := range []string{"A=1", "export A=\"${B:-$HOME}\"", "A=$(id)", "A=`id`", "A=(a b)", "A=${x[$(id)]:-y}", "A=<(id)", "A=$((1))", "A=~x", "A=$'\\x41'"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		readAssignments(text, lenient)
		readAssignments(text, shellfile.AssignmentOptions{Lists: true})
	})
}
