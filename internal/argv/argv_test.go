package argv_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/argv"
	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

// template makes one of words; one with a | in it is a list of words.
func template(t *testing.T, words ...string) argv.Template {
	t.Helper()
	var all argv.Template
	for _, word := range words {
		var item argv.Item
		texts := strings.Split(word, "|")
		item.Together = len(texts) > 1
		for _, text := range texts {
			w, err := argv.ParseWord(text)
			if err != nil {
				t.Fatal(err)
			}
			item.Words = append(item.Words, w)
		}
		all = append(all, item)
	}
	return all
}

func fill(t *testing.T, args string, words ...string) (string, error) {
	t.Helper()
	read, err := argv.ReadArguments([]byte(args), map[string]json.Value{"usual": json.Value(`7`)})
	if err != nil {
		t.Fatal(err)
	}
	filled, err := template(t, words...).Fill(read)
	return "[" + strings.Join(filled, "][") + "]", err
}

func TestEachArgumentIsOneWordWhateverItHolds(t *testing.T) {
	for _, value := range []string{`a b`, `"'`, "a\nb", `$(id)`, "`id`", `*`, `-rf`, `--`, ``, `{b}`, `;|&><`, `ä €`} {
		is := is.New(t)
		quoted, err := json.AppendQuote(nil, value)
		is.NoErr(err)
		got, err := fill(t, `{"a":`+string(quoted)+`}`, "{a}", "--a={a}")
		is.NoErr(err)
		is.Equal(got, "["+value+"][--a="+value+"]")
	}
}

func TestWordsOfATemplate(t *testing.T) {
	tests := []struct{ name, args, words, want string }{
		{"literals", `{}`, `--json -- .`, `[--json][--][.]`},
		{"a required value", `{"a":"x"}`, `{a}`, `[x]`},
		{"an optional one that is there", `{"a":"x"}`, `--a={a?}`, `[--a=x]`},
		{"its word goes with it", `{}`, `--a={a?} b`, `[b]`},
		{"null is absent", `{"a":null}`, `--a={a?} b`, `[b]`},
		{"an empty text is there", `{"a":""}`, `--a={a?}`, `[--a=]`},
		{"a list of words that is there", `{"a":"x"}`, `-a|{a}`, `[-a][x]`},
		{"a list of words goes together", `{}`, `-a|{a} b`, `[b]`},
		{"one of two is not enough", `{"a":"x"}`, `-a|{a}|{b}`, `[]`},
		{"a flag that is true", `{"v":true}`, `{v?--verbose}`, `[--verbose]`},
		{"a flag that is false", `{"v":false}`, `{v?--verbose} b`, `[b]`},
		{"a flag that is absent", `{}`, `{v?--verbose} b`, `[b]`},
		{"a list", `{"l":["x y","-z",3]}`, `{l...}`, `[x y][-z][3]`},
		{"a list with a flag before each", `{"l":["x","y"]}`, `--l={l...}.`, `[--l=x.][--l=y.]`},
		{"a list after one flag", `{"l":["x","y"]}`, `--l|{l...}`, `[--l][x][y]`},
		{"an empty list", `{"l":[]}`, `--l|{l...} {l...} b`, `[b]`},
		{"one value for a list", `{"l":"x"}`, `{l...}`, `[x]`},
		{"numbers", `{"a":5.0,"b":1e3,"c":0.5,"d":12345678901234567890}`, `{a} {b} {c} {d}`, `[5][1000][0.5][12345678901234567890]`},
		{"true and false", `{"a":true,"b":false}`, `{a} {b}`, `[true][false]`},
		{"an object", `{"a":{"x": [1, 2]}}`, `{a}`, `[{"x":[1,2]}]`},
		{"an array in one word", `{"a":[1, "b"]}`, `{a}`, `[[1,"b"]]`},
		{"several in a word", `{"a":"x","b":2}`, `{a}:{b}`, `[x:2]`},
		{"braces", `{"a":"x"}`, `{{{a}}} {{}}`, `[{x}][{}]`},
		{"a default", `{}`, `--n={usual?} {usual}`, `[--n=7][7]`},
		{"half a surrogate pair", `{"a":"x\ud800","o":{"k\udc00": "\ud800y\u00e9"},"l":["a","\ud800","b"],"\ud800":1}`, `{a} {o} {l...}`, "[x\ufffd][{\"k\ufffd\":\"\ufffdyé\"}][a][\ufffd][b]"},
		{"a byte that is not UTF-8", "{\"a\":\"x\xff\",\"o\":[\"\xff\"]}", `{a} {o}`, "[x\ufffd][[\"\ufffd\"]]"},
		{"a name that is there twice", `{"a":1,"a":2,"b":1,"b":null,"o":{"x": 1,"x": 2}}`, `{a} {b?} {o}`, `[2][{"x":1,"x":2}]`},
		{"a null after a value", `{"usual":8,"usual":null}`, `{usual}`, `[7]`},
		{"a value instead of the default", `{"usual":8}`, `{usual}`, `[8]`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			is := is.New(t)
			got, err := fill(t, test.args, strings.Fields(test.words)...)
			is.NoErr(err)
			is.Equal(got, test.want)
		})
	}
}

func TestWholeNumbersAreWrittenAsDigits(t *testing.T) {
	for number, want := range map[string]string{
		"0": "0", "-0": "0", "-0.0": "0", "0e5": "0", "0.000e-7": "0", "-7": "-7", "5.0": "5", "-5.00": "-5", "1e3": "1000", "-1.5E+1": "-15", "1200e-2": "12", "0.05e2": "5",
		"9007199254740993.0": "9007199254740993", "1e20": "1" + strings.Repeat("0", 20), "1.5e1000": "15" + strings.Repeat("0", 999),
		"12345678901234567890": "12345678901234567890", "1e400": "1" + strings.Repeat("0", 400),
		"0.5": "0.5", "-0.50": "-0.50", "15e-1": "15e-1", "1e-20": "1e-20", "1e1001": "1e1001", "1e99999999999999999999": "1e99999999999999999999",
	} {
		is := is.New(t)
		got, err := fill(t, `{"n":`+number+`}`, "{n}")
		is.NoErr(err)
		is.Equal(got, "["+want+"]")
	}
}

func TestNoWordIsMadeOfWhatIsAbsentOrCannotBeInOne(t *testing.T) {
	is := is.New(t)
	_, err := fill(t, `{}`, "--a={a}")
	fault, ok := errors.AsType[*argv.Fault](err)
	is.True(ok)
	is.Equal(fault.Error(), `argument "a" is required on the command line`)
	_, err = fill(t, `{"a":"x\u0000y"}`, "{a}")
	is.Equal(err.Error(), `argument "a" has a zero byte, which no command line can hold`)
}

func TestAWordThatCannotBeReadSaysWhatToWrite(t *testing.T) {
	for text, want := range map[string]string{
		"{a":           `"{a" has a { without a }; write {{ for a brace as it is`,
		"a}":           `"a}" has a } without a {; write }} for a brace as it is`,
		"{}":           `"{}": {} names no argument; write {name}`,
		"{?-v}":        `"{?-v}": {?-v} names no argument; write {name}`,
		"{a...}{b...}": `"{a...}{b...}" has 2 lists; a word takes one`,
		"{a?...}":      `"{a?...}": {a?...} is not a place; write {name}, {name?}, {name?--flag} or {name...}`,
	} {
		is := is.New(t)
		_, err := argv.ParseWord(text)
		is.True(err != nil)
		is.Equal(err.Error(), want)
	}
}

func FuzzWordsWithoutPlacesAreThemselves(f *testing.F) {
	for _, seed := range []string{"", "-v", "{{a}}", "{a?b}", "x{l...}y", "{", "}{", "\x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if word, err := argv.ParseWord(text); err == nil {
			word.Places()
		}
		escaped := strings.NewReplacer("{", "{{", "}", "}}", "\x00", "").Replace(text)
		word, err := argv.ParseWord(escaped)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := word.Literal(); !ok || got != strings.ReplaceAll(text, "\x00", "") {
			t.Fatalf("%q became %q", text, got)
		}
	})
}
