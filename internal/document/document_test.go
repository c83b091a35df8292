package document

import (
	"bytes"
	stdjson "encoding/json"
	"runtime"
	"testing"
	"weak"

	"github.com/matryer/is"
)

func TestJSONWithoutBlanksSaysTheSame(t *testing.T) {
	for _, text := range []string{
		`{}`, "{\n\t\"a b\" : [ 1 , 2.50 ,\r\n true ] , \"c\\\" d\\\\\" : { } }\n", `" \" "`, ` 12 `, `["a","b"]`, "",
		`1 2`, `"a" "b"`, `tr ue`, `{"a":1 "b":2}`, `[1 2]`, `"a`, `{"a" "b"}`, "\"a\nb\"", `[1,2`, "1\v2", `- 1`, `1 .5`,
		`"\`,
	} {
		t.Run(text, func(t *testing.T) {
			is := is.New(t)
			packed := onOneLine([]byte(text))
			is.Equal(stdjson.Valid(packed), stdjson.Valid([]byte(text))) // what is not valid does not become so
			if stdjson.Valid(packed) {
				var want bytes.Buffer
				is.NoErr(stdjson.Compact(&want, []byte(text)))
				is.Equal(string(packed), want.String())
				for i, c := range packed {
					is.Equal(text[offsetBefore([]byte(text), i)], c) // each byte is found again
				}
			}
		})
	}
}

func TestADocumentThatWasReadIsNotKeptInMemory(t *testing.T) {
	is := is.New(t)
	raw := append(make([]byte, 0, 1<<20), `{"a": [1]}`...)
	kept := weak.Make(&raw[0])
	members, err := membersOf(raw, 0)
	is.NoErr(err)
	is.Equal(len(Elements(members[0])), 1)
	raw, members = nil, nil
	runtime.GC()
	is.True(kept.Value() == nil) // the pool of decoders has let go of it
}
