package dev

import (
	"strings"
	"testing"

	"github.com/matryer/is"
)

func TestALineIsSplitAsAShellDoesAndJSONNeedsNoQuotes(t *testing.T) {
	for line, want := range map[string]string{
		`greet name=Ada`:                    "greet|name=Ada",
		`  greet   name='Ada Lovelace'  `:   "greet|name=Ada Lovelace",
		`a x="say \"hi\" \n" y=a\ b`:        `a|x=say "hi" \n|y=a b`,
		`a x='it'"'"'s' y=`:                 "a|x=it's|y=",
		`a tags:=["a b", "c"] n:=1`:         `a|tags:=["a b", "c"]|n:=1`,
		`a o:={"k": {"a": "}"}} z=1`:        `a|o:={"k": {"a": "}"}}|z=1`,
		`a tags:='["a"]' s:="with blank" t`: `a|tags:=["a"]|s:="with blank"|t`,
		`a x=$HOME y=*`:                     "a|x=$HOME|y=*",
		`a ''`:                              "a|",
	} {
		is := is.New(t)
		words, err := lineWords(line)
		is.NoErr(err)
		is.Equal(strings.Join(words, "|"), want)
	}
	for line, says := range map[string]string{
		`a 'b`:          "quote ' is not closed",
		`a x:=[1, 2`:    "x:= is not JSON",
		`a x="y' z='"'`: "quote ' is not closed",
	} {
		is := is.New(t)
		_, err := lineWords(line)
		is.True(err != nil)
		is.True(strings.Contains(err.Error(), says))
	}
}

func TestWhatAListGainsAndLosesIsNamed(t *testing.T) {
	is := is.New(t)
	before := map[string]string{"a": "1", "b": "1", "c": "1"}
	now := map[string]string{"b": "2", "c": "1", "d": "1", "e": "1"}
	is.Equal(difference(before, now), "new d, e, gone a, changed b")
	is.Equal(difference(now, now), "")
}

func TestArgumentsAndTheValuesThatTheirSchemasListAreCompleted(t *testing.T) {
	tool := `{"name": "sort", "inputSchema": {"properties": {
		"order": {"type": "string", "enum": ["up", "upside-down", "by size", null]},
		"level": {"enum": [1, 2.5]}, "unique": {"type": "boolean"}, "text": {"type": "string"}}}}`
	var d Session
	d.offered.kinds = map[string]map[string]string{"tools": {"sort": tool}}
	for typed, want := range map[string]string{
		"sort ":               "level= order= text= unique=",
		"sort o":              "order=",
		"sort order=":         "order=up order=upside-down", // not what needs quotes
		"call sort order=ups": "order=upside-down",
		"sort order=up uniq":  "unique=",
		"sort unique=":        "unique=false unique=true",
		"sort level=":         "level=1 level=2.5",
		"sort text=":          "",
		"sort other=":         "",
	} {
		is := is.New(t)
		words, from := d.complete(typed)
		is.Equal(strings.Join(words, " "), want)        // after typed
		is.Equal(from, strings.LastIndex(typed, " ")+1) // the last word is completed
	}
}
