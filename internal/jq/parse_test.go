package jq

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/itchyny/gojq"
	"github.com/matryer/is"
)

// texts are JSON texts and what is not quite that.
func texts() []string {
	return []string{
		`null`, `true`, `-0.5e+10`, `"a\u00e9\ud83d\ude00\n"`, `[]`, `{}`, `[[],{}]`,
		`{"b":1,"a":{"d":[1,2,{"x":null}],"c":""}}`, ` [ 1 , 2 ] `, "1\n2\n3", `{"a":1,"a":2}`,
		`[1,`, `{"a"`, `{"a":}`, `[1}`, `nul`, `01`, `"\q"`, `"`, `]`, "\x1e1", "\ufeff1", "\"\xff\"", `{1:2}`, `1"a"[2]`,
	}
}

func FuzzParserTakesJSONAsTheStandardLibraryDoes(f *testing.F) {
	for _, text := range texts() {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var o orders
		got, err := o.parseText(text)
		if !json.Valid([]byte(text)) || strings.Contains(text, `\u`) { // of \u, jq refuses halves of pairs
			return
		}
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		dec := json.NewDecoder(strings.NewReader(text))
		dec.UseNumber()
		var want any
		if err := dec.Decode(&want); err != nil {
			t.Skip("the standard library wants it less deep")
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
	})
}

// What is printed is read as the same value, which is printed the same; and its events
// make it again.
func FuzzPrintedValuesAreReadAgain(f *testing.F) {
	for _, text := range texts() {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var o orders
		v, err := o.parseText(text)
		if err != nil {
			return
		}
		printed := o.json(v)
		again, err := o.parseText(printed)
		if err != nil {
			t.Fatalf("%q, printed as %q: %v", text, printed, err)
		}
		if o.json(again) != printed {
			t.Fatalf("%q, printed as %q, then as %q", text, printed, o.json(again))
		}
		a := &assembly{orders: &o}
		events := o.events(v, nil, nil)
		for i, e := range events {
			made, done, err := a.feed(e)
			if err != nil {
				t.Fatal(err)
			}
			if done != (i == len(events)-1) {
				t.Fatalf("done after %d of %d events", i+1, len(events))
			}
			if done && o.json(made) != printed {
				t.Fatalf("%q became %q", printed, o.json(made))
			}
		}
	})
}

func TestEventsOfTheStreamAreThoseOfTheValue(t *testing.T) {
	for _, text := range texts() {
		var o orders
		all, err := o.parseAll(strings.NewReader(text))
		if err != nil {
			continue
		}
		t.Run(text, func(t *testing.T) {
			is := is.New(t)
			want := []any{}
			for _, v := range all {
				want = o.events(v, nil, want)
			}
			got := []any{}
			p := &parser{source: newSource("", strings.NewReader(text)), orders: &o}
			for e, err := p.event(); err != io.EOF; e, err = p.event() {
				is.NoErr(err) // it is JSON
				got = append(got, e)
			}
			if strings.Contains(text, `"a":1,"a"`) {
				return // only the stream tells both
			}
			is.Equal(gojq.Compare(got, want), 0) // the same events
		})
	}
}

// However a text comes in pieces, it is the same text.
func TestPiecesOfATextMakeTheText(t *testing.T) {
	for _, text := range texts() {
		t.Run(text, func(t *testing.T) {
			is := is.New(t)
			whole, err, code := run(text, "-c", ".")
			var out, errs bytes.Buffer
			again := Main([]string{"-c", "."}, iotest.OneByteReader(strings.NewReader(text)), &out, &errs, nil)
			is.Equal(out.String(), whole) // the output
			is.Equal(errs.String(), err)  // the error with its place
			is.Equal(again, code)         // the exit code
		})
	}
}

func TestBadJSONIsToldInTheWordsOfJq(t *testing.T) {
	for text, want := range map[string]string{
		`{`:                             "Unfinished JSON term at EOF at line 1, column 1",
		"{\n\"a\":1\n":                  "Unfinished JSON term at EOF at line 3, column 0",
		`{a:1}`:                         "Invalid numeric literal at line 1, column 3",
		"tru\n":                         "Invalid literal at line 2, column 0",
		`[1,2,]`:                        "Expected another array element at line 1, column 6",
		`{"a":1,}`:                      "Expected another key-value pair at line 1, column 8",
		`{"a" 1}`:                       "Expected separator between values at line 1, column 7",
		"[1\n2]":                        "Expected separator between values at line 2, column 2",
		`{"a","b"}`:                     "Objects must consist of key:value pairs at line 1, column 5",
		`{1:2}`:                         "Object keys must be strings at line 1, column 3",
		`{[1]:2}`:                       "Expected string key, not '[' at line 1, column 2",
		`[1:2]`:                         "':' not as part of an object at line 1, column 3",
		`{:1}`:                          "Expected string key before ':' at line 1, column 2",
		`,`:                             "Expected value before ',' at line 1, column 1",
		`[,]`:                           "Expected value before ',' at line 1, column 2",
		`]`:                             "Unmatched ']' at line 1, column 1",
		`{"a":1]`:                       "Unmatched ']' at line 1, column 7",
		`{"a":}`:                        "Unmatched '}' at line 1, column 6",
		`"a`:                            "Unfinished string at EOF at line 1, column 2",
		"\"a\nb\"":                      "Invalid string: control characters from U+0000 through U+001F must be escaped at line 2, column 2",
		`"\q"`:                          "Invalid escape at line 1, column 4",
		`"\u12g4"`:                      `Invalid characters in \uXXXX escape at line 1, column 8`,
		`"\ud83dx"`:                     `Invalid \uXXXX\uXXXX surrogate pair escape at line 1, column 9`,
		"\xef\xbb1":                     "Malformed BOM at line 1, column 2",
		strings.Repeat("[", maxDepth+1): "Exceeds depth limit for parsing at line 1, column 10001",
	} {
		t.Run(want, func(t *testing.T) {
			is := is.New(t)
			out, err, code := run(text, ".")
			is.Equal(out, "")                            // nothing is printed
			is.Equal(err, "jq: parse error: "+want+"\n") // what is wrong, and where
			is.Equal(code, exitFailed)                   // as jq 1.7
		})
	}
}
