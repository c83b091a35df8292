package json

import (
	"bytes"
	stdjson "encoding/json"
	"reflect"
	"strings"
	"testing"
)

func FuzzExactDecodesAsEncodingJSONDoes(f *testing.F) {
	for _, text := range []string{``, `null`, ` {"a":[1.0,-2e9,"x\u0041\ud83d",true,false,null],"a":{"":{}}} `, `[1,]`, `{"a"}`,
		`"\ud800x"`, "\"\xff\"", `1 2`, `[1}`, `{"a":1]`, `01`, `"a`, `nul`, strings.Repeat("[", 10_001), `{"a":1,}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var want any
		d := stdjson.NewDecoder(bytes.NewReader(text))
		d.UseNumber()
		wrong := d.Decode(&want)
		got, err := Exact(text)
		if (err == nil) != (wrong == nil) || err == nil && !reflect.DeepEqual(got, want) {
			t.Fatalf("%q: got %#v, %v; want %#v, %v", text, got, err, want, wrong)
		}
	})
}

func BenchmarkExact(b *testing.B) {
	text := []byte(`{"name":"run","arguments":{"command":"` + strings.Repeat("x", 960) + `"}}`)
	for b.Loop() {
		if _, err := Exact(text); err != nil {
			b.Fatal(err)
		}
	}
}
