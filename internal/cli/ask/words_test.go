package ask

import (
	"encoding/json"
	"testing"

	"github.com/matryer/is"
)

func TestTheSchemaSaysWhatAnArgumentIs(t *testing.T) {
	types := map[string]any{"n": "number", "i": "integer", "on": "boolean", "list": "array", "o": "object", "s": "string", "any": []any{"string", "null"}, "no": "null"}
	for word, want := range map[string]string{
		"n=1.5":        `{"n":1.5}`,
		"n=one":        `{"n":"one"}`, // the server says what is wrong with it
		"n=":           `{"n":""}`,
		"n=01":         `{"n":"01"}`,
		"i=-3":         `{"i":-3}`,
		"on=true":      `{"on":true}`,
		"on=yes":       `{"on":"yes"}`,
		"list=[1, 2]":  `{"list":[1,2]}`,
		`o={"a": "="}`: `{"o":{"a":"="}}`,
		"s=7":          `{"s":"7"}`,
		"s:=7":         `{"s":7}`,
		"any=null":     `{"any":"null"}`,
		"any:=null":    `{"any":null}`,
		"no=null":      `{"no":null}`,
		"x=a=b":        `{"x":"a=b"}`,
		"x:y=1":        `{"x:y":"1"}`,
	} {
		t.Run(word, func(t *testing.T) {
			is := is.New(t)
			arguments, err := ParseArguments([]string{word}, types)
			is.NoErr(err)
			got, err := json.Marshal(arguments)
			is.NoErr(err)
			is.Equal(string(got), want)
		})
	}
}

func TestAWordThatIsNotAnArgumentIsRefused(t *testing.T) {
	for _, words := range [][]string{{"name"}, {"=x"}, {":=1"}, {"a:={"}, {"a=1", "a:=2"}} {
		_, err := ParseArguments(words, nil)
		is.New(t).True(err != nil)
	}
}
