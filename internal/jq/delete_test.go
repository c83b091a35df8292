package jq

import (
	"strings"
	"testing"

	"github.com/itchyny/gojq"
	"github.com/matryer/is"
)

// Deleting is our own, so that it keeps the order; it deletes what the library deletes.
func TestDeletingDeletesWhatTheLibraryDeletes(t *testing.T) {
	const in = `{"a":{"b":[0,1,{"c":2,"d":3},4,5],"e":null},"f":[[1,2],[3,4],[]],"g":"x"}`
	for _, paths := range []string{
		`.a`, `.a.b`, `.a.b[0]`, `.a.b[-1]`, `.a.b[9]`, `.a.b[0, 2, 4]`, `.a.b[2].c`, `.a.b[1:3]`, `.a.b[:-1]`, `.a.b[3:][0]`,
		`.a.b[1:4][1].d`, `.a.b[1:4][0:2]`, `.a.b[1:3], .a.b[2:4]`, `.a.b[0], .a.b[2].c`, `.a.b[0], .a.b[0:2]`, `.f[][0]`,
		`.f[0][0], .f[0]`, `.f[0], .f[0][0]`, `.f[1:][0][1]`, `.a.e.x.y`, `.a.e[3]`, `.x.y`, `.a, .f`, `.[]`, `.a.b[]`,
		`.a.b[1.7]`, `.a.b[1.2:2.5]`, `.a.b[-2:], .a.b[-1]`, `..|nulls`, `.a[("b", "e")]`, `empty`, `.`, `.a.b[null:2]`,
	} {
		t.Run(paths, func(t *testing.T) {
			is := is.New(t)
			filter := "del(" + paths + ")"
			want, ok := library(filter, in)
			is.True(ok) // the library can do it
			out, err, code := run(in, "-c", filter)
			is.Equal(err, "")                                          // no error
			is.Equal(code, 0)                                          // no error
			is.Equal(gojq.Compare(values(t, out), values(t, want)), 0) // the same is left
		})
	}
}

func TestWhatCannotBeDeletedIsAnError(t *testing.T) {
	for paths, want := range map[string]string{
		`1`:                       "Paths must be specified as an array",
		`[1]`:                     "Path must be specified as an array",
		`[[true]]`:                "Cannot delete at boolean",
		`[[0]]`:                   "Cannot delete field at array index of object",
		`[["a", "x"]]`:            "Cannot delete field at object index of array",
		`[["g", "x"]]`:            "Cannot delete field of string",
		`[[{"start":0,"end":1}]]`: "Cannot delete slice of object",
	} {
		t.Run(want, func(t *testing.T) {
			is := is.New(t)
			_, err, code := run(`{"a":[1],"g":"x"}`, "delpaths("+paths+")")
			is.True(strings.Contains(err, want)) // what is wrong
			is.Equal(code, exitFailed)           // an error of the filter
		})
	}
}
