package json_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

func TestMembersStandInTheirText(t *testing.T) {
	is := is.New(t)
	const text = ` { "a" : 1, "b\u0063":[ 2 ] } `
	var names []string
	for m, err := range json.Members([]byte(text), '{') {
		is.NoErr(err)
		is.Equal(text[m.Start:m.End()], string(m.Value))
		is.Equal(text[m.At], byte('"'))
		names = append(names, m.Name)
	}
	is.Equal(names, []string{"a", "bc"})
	for m, err := range json.Members([]byte(`[ null,{"x":1}]`), '[') {
		is.NoErr(err)
		is.Equal(m.At, m.Start)
	}
}

func TestWhatIsNoListOfMembersEndsWithAnError(t *testing.T) {
	for text, want := range map[string]string{
		"": "EOF", "[]": "has another type", "5": "has another type", `{"a":1,"a":2}`: "duplicate", `{"a":1]`: "character ']'",
		`{"a":1} {}`: "more text after the end", `{"a"`: "unexpected EOF", `{1:2}`: "string", `{"a":1,}`: "invalid character",
	} {
		is := is.New(t)
		var last error
		for _, err := range json.Members([]byte(text), '{') {
			is.NoErr(last) // the error is the last
			last = err
		}
		if last == nil || !strings.Contains(last.Error(), want) {
			t.Errorf("%s: %v", text, last)
		}
	}
}

func TestEditsKeepAllElseAsItWasWritten(t *testing.T) {
	for _, c := range []struct{ object, want string }{
		{`{ "a" : 1, "b":2 }`, `{ "a" : 1, "b":2 }`},
		{`{ "cut" : 1, "b":2 }`, `{ "b":2 }`},
		{`{ "cut" : 1, "cut":2 , "b":2,"c":"\u0061" }`, `{ "b":2,"c":"\u0061" }`},
		{`{"a":1, "cut":2 , "b": 2 , "cut":[1,2] }`, `{"a":1 , "b": 2 }`},
		{`{"cut":1 }`, `{ }`},
		{`{"x": 1 ,"cut":1, "x":3}`, `{"x": "new", "x":"new"}`},
		{`{"cut":1,"x":[],"cut":1,"a":{}}`, `{"x":"new","a":{}}`},
		{`[1]`, `[1]`},
		{`{"cut":1`, `{"cut":1`},
	} {
		is := is.New(t)
		is.Equal(string(json.Edit([]byte(c.object), func(m json.Member) json.Value {
			switch m.Name {
			case "cut":
				return nil
			case "x":
				return json.Quote("new")
			}
			return m.Value
		})), c.want)
	}
}

func TestAMemberIsSetInItsPlaceOrAtTheEnd(t *testing.T) {
	for object, want := range map[string]string{
		`{}`: `{"m":0}`, ` { } `: ` { "m":0} `, `{"a":{}}`: `{"a":{},"m":0}`, `{"m":1,"m": 2 }`: `{"m":1,"m": 0 }`, `{"m":[1],"z":2}`: `{"m":0,"z":2}`,
	} {
		is := is.New(t)
		got, ok := json.Set([]byte(object), "m", json.Value("0"))
		is.True(ok)
		is.Equal(string(got), want)
	}
	for _, other := range []string{``, `[]`, `{`, `{} x`} {
		_, ok := json.Set([]byte(other), "m", json.Value("0"))
		is.New(t).True(!ok)
	}
}

func TestScalarsAreRewrittenAtAnyDepth(t *testing.T) {
	is := is.New(t)
	edit := func(at *json.Decoder, v json.Value, isName bool) json.Value {
		switch {
		case isName && json.Text(v) == "old":
			return json.Quote("new")
		case isName:
			return v
		case v.Kind() == 'n':
			return nil
		case v.Kind() == '0':
			return json.Quote(string(at.StackPointer()))
		}
		return v
	}
	got, err := json.Rewrite([]byte(` { "old" : [ 1 , null, {"x":2,"y":null} ],"z":null, "s":"\u0061\ud83d" } `), edit)
	is.NoErr(err)
	is.Equal(string(got), `{"new":["/old/0",{"x":"/old/2/x"}],"s":"\u0061\ud83d"}`)
	for _, bad := range []string{``, `{`, `[1] 2`, `{"a":}`, `]`} {
		_, err := json.Rewrite([]byte(bad), edit)
		is.True(err != nil)
	}
}

func FuzzMembers(f *testing.F) {
	for _, text := range []string{`{"a":1,"b":[2,{"a":null}]}`, `{ "a" : "\ud83d" , "a":0 }`, `[1]`, ``} {
		f.Add([]byte(text), "a")
	}
	f.Fuzz(func(t *testing.T, text []byte, name string) {
		valid := json.Value(text).IsValid(json.Lenient)
		isObject := valid && json.Value(text).Kind() == '{'
		out, ok := json.Set(text, name, json.Value("[0]"))
		if ok != isObject {
			t.Fatalf("%q is set: %v", text, ok)
		}
		if name = json.Text(json.Quote(name)); ok {
			m, found := json.Find(out, name)
			if !found || string(m.Value) != "[0]" {
				t.Fatalf("%q has no %q", out, name)
			}
			out = json.Edit(out, func(m json.Member) json.Value {
				if m.Name == name {
					return nil
				}
				return m.Value
			})
			if _, found := json.Find(out, name); found || !json.Value(out).IsValid(json.Lenient) {
				t.Fatalf("%q: after a cut it is %q", text, out)
			}
		}
		same, err := json.Rewrite(text, func(_ *json.Decoder, v json.Value, _ bool) json.Value { return v })
		want := json.Value(text).Clone()
		if (err == nil) != valid || valid && (want.Compact(json.Verbatim) != nil || string(same) != string(want)) {
			t.Fatalf("%q is rewritten as %q, %v", text, same, err)
		}
	})
}

func TestAnErrorOfTheSyntaxSaysWhere(t *testing.T) {
	is := is.New(t)
	for _, err := range json.Members([]byte(`{"a":x}`), '{') {
		syntax, ok := errors.AsType[*json.SyntacticError](err)
		is.True(ok && err != io.EOF)
		is.Equal(syntax.ByteOffset, int64(5))
	}
}
