package catalog

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

func TestFaultsNameTheLinesThatTheAuthorSees(t *testing.T) {
	is := is.New(t)
	doc := jsonDocument("x.json", []byte("\n{\n \"name\"\n:\n \"a b\",\n\n \"list\": [\n1,\n2]}"))
	o, fault := doc.object()
	is.True(fault == nil)
	name, _ := o.get("name")
	o.warn(name, "", "")
	list, _ := o.get("list")
	o.warn(o.elements(list)[1], "", "")
	is.Equal([]int{o.faults[0].Line, o.faults[1].Line}, []int{3, 9})
}

func TestADocumentThatWasReadIsNotKeptInMemory(t *testing.T) {
	is := is.New(t)
	raw := append(make([]byte, 0, 1<<20), `{"a": [1]}`...)
	kept := weak.Make(&raw[0])
	members, err := membersOf(raw, 0)
	is.NoErr(err)
	is.Equal(len(elements(members[0])), 1)
	raw, members = nil, nil
	runtime.GC()
	is.True(kept.Value() == nil) // the pool of decoders has let go of it
}
