package jq

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/itchyny/gojq"
	"github.com/matryer/is"
)

// library runs a filter with the library alone, if that can: no rewriting, no prelude.
func library(filter, in string) (out string, ok bool) {
	query, err := gojq.Parse(filter)
	if err != nil {
		return "", false
	}
	code, err := gojq.Compile(query)
	if err != nil {
		return "", false
	}
	dec := json.NewDecoder(strings.NewReader(in))
	dec.UseNumber()
	for {
		var v any
		if err := dec.Decode(&v); errors.Is(err, io.EOF) {
			return out, true
		} else if err != nil {
			return "", false
		}
		for it := code.Run(v); ; {
			v, more := it.Next()
			if !more {
				break
			}
			if _, failed := v.(error); failed {
				return "", false
			}
			text, _ := gojq.Marshal(v) // never fails
			out += string(text) + "\n"
		}
	}
}

// values parses what a run of jq printed.
func values(t *testing.T, text string) []any {
	t.Helper()
	var o orders
	all, err := o.parseAll(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// sorted returns JSON texts with the keys of all objects sorted.
func sorted(t *testing.T, in string) string {
	t.Helper()
	out, err, code := run(in, "-cS", ".")
	if code != 0 {
		t.Fatal(err)
	}
	return out
}

// On objects with sorted keys the library and we must agree: what is left to rewriting is
// the order. gojq.Compare does not look at it.
func TestRewritingChangesTheOrderOfKeysOnly(t *testing.T) {
	own := []string{ // these go by jq rather than by the library, or by the order of keys
		"env", "ltrimstr", "tonumber", "reverse", `gsub("";`, "from_entries", `split("A"`, "{b: 1, a: 2} |",
	}
	compared := 0
	for _, r := range rows() {
		args := words(r.args)
		filter := args[len(args)-1]
		if !strings.HasPrefix(r.args, "-c ") || len(args) != 2 || r.code != 0 || containsAny(filter, own) {
			continue
		}
		in := sorted(t, r.in)
		want, ok := library(filter, in)
		if !ok {
			continue
		}
		compared++
		t.Run(filter, func(t *testing.T) {
			is := is.New(t)
			out, err, code := run(in, "-c", filter)
			is.Equal(code, 0)                                          // no error
			is.Equal(err, "")                                          // no error
			is.Equal(gojq.Compare(values(t, out), values(t, want)), 0) // the same values
		})
	}
	is := is.New(t)
	is.True(compared > 150) // most rows with plain filters are compared
}

func containsAny(s string, parts []string) bool {
	for _, p := range parts {
		if strings.Contains(s, p) {
			return true
		}
	}
	return false
}

func TestDefinitionsOfAFilterWinOverThePrelude(t *testing.T) {
	for filter, want := range map[string]string{
		`def map(f): "mine"; [1] | map(.)`:             `"mine"`,
		`def to_entries: "mine"; {} | to_entries`:      `"mine"`,
		`def add: "mine"; [1, 2] | add`:                `"mine"`,
		`def add(a; b): a * b; add(2; 3)`:              `6`,
		`def f: def test(x): "mine"; "a" | test(1); f`: `"mine"`,
		`def recurse: "mine"; [1] | [..]`:              `["mine"]`,
	} {
		t.Run(filter, func(t *testing.T) {
			is := is.New(t)
			out, err, code := run("", "-nc", filter)
			is.Equal(err, "")        // it compiles
			is.Equal(out, want+"\n") // the filter's own definition
			is.Equal(code, 0)        // no error
		})
	}
}

// Every definition of the prelude compiles, also if it is the only one that is called.
func TestThePreludeComesInParts(t *testing.T) {
	is := is.New(t)
	whole, err := gojq.Parse(prelude)
	is.NoErr(err) // it parses
	is.True(len(whole.FuncDefs) > 60)
	for _, def := range whole.FuncDefs {
		filter := def.Name
		if len(def.Args) > 0 {
			filter += "(.a" + strings.Repeat("; .a", len(def.Args)-1) + ")"
		}
		t.Run(filter, func(t *testing.T) {
			is := is.New(t)
			_, err, code := run("", "-n", "try ("+filter+") catch empty")
			is.Equal(code, 0) // it compiles and runs
			is.Equal(err, "") // and says nothing
		})
	}
}
