package pipeline

import (
	"bytes"
	"testing"
)

func FuzzALongLineHasTheIdThatAShortOneHas(f *testing.F) {
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"a","params":{"id":[2,"}"]}}`,
		`{"method":"a","jsonrpc":"2.0","\u0069d":"\"x\\"}`,
		`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"id"}}`,
		`{"jsonrpc":"2.0","method":"a"}`,
	} {
		f.Add([]byte(line), 7)
	}
	f.Fuzz(func(t *testing.T, line []byte, at int) {
		short := Parse(bytes.Clone(line))
		var long longLineReader
		at = min(max(at, 0), len(line))
		long.Write(line[:at])
		long.Write(line[at:])
		e := long.refused(1)
		if k := short.Kind(); (k == Call || k == Notification || k == Response) && len(short.ID().String()) < headSize {
			if e.id.String() != short.ID().String() || e.response != (k == Response) {
				t.Errorf("%q: id %q, response %v", line, e.id, e.response)
			}
		}
	})
}
