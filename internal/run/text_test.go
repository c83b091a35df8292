package run

import (
	"strings"
	"testing"

	"github.com/matryer/is"
)

func TestOutputThatIsNotUTF8IsAnErrorThatSaysWhere(t *testing.T) {
	why := func(where string) string {
		return `"text":"Tool output is not valid UTF-8: ` + where + `. Convert text`
	}
	for name, c := range map[string]struct{ script, contains, lacks string }{
		"text in Latin-1":        {`printf 'Stra\337e\n'`, why("byte 0xDF at offset 4 of 7"), ""},
		"which follows":          {`printf 'Stra\337e\n'`, `{"type":"text","text":"(not valid UTF-8, from byte 0xDF at offset 4 on; what cannot be shown is U+FFFD)\nStra` + "\ufffd" + `e\n"}],"isError":true`, ""},
		"binary does not":        {`printf 'a\377b\000c'`, why("byte 0xFF at offset 1 of 5"), "\ufffd"},
		"JSON":                   {`printf '{"a":"\377"}'`, why("byte 0xFF at offset 6 of 9"), `"structuredContent"`},
		"a result of its own":    {`printf '{"content":[{"type":"text","text":"\377"}],"isError":false}'`, why("byte 0xFF at offset 35 of 56"), `"isError":false`},
		"a tool that has failed": {`printf '\377'; exit 3`, `"text":"Tool failed: exit code 3"},{"type":"text","text":"(not valid UTF-8, from byte 0xFF at offset 0 on`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			var h heard
			got := run(t, "#!/bin/sh\n"+c.script, func(to *Call) { to.Log = h.call(nil).Log })
			is.True(strings.Contains(got, c.contains))
			is.True(c.lacks == "" || !strings.Contains(got, c.lacks))
			is.True(strings.Contains(string(encode(h.logs)), "the output is not valid UTF-8: byte 0x")) // the client's log says it too
		})
	}
}

func TestCarriageReturnsAndAByteOrderMarkOfOutputAreTakenOut(t *testing.T) {
	for name, c := range map[string]struct{ output, want string }{
		"lines":   {`\357\273\277a\r\nb\r\n`, `{"content":[{"type":"text","text":"a\nb\n"}],"isError":false,"_meta":{"exitCode":0}}`},
		"JSON":    {`\357\273\277{\r\n "a": 1\r\n}\r\n`, `{"content":[{"type":"text","text":"{\n \"a\": 1\n}\n"}],"structuredContent":{"a":1},"isError":false,"_meta":{"exitCode":0}}`},
		"escaped": {`{"a":"x\\r\\n"}`, `{"content":[{"type":"text","text":"{\"a\":\"x\\r\\n\"}"}],"structuredContent":{"a":"x\r\n"},"isError":false,"_meta":{"exitCode":0}}`},
		"its own": {`{"content":[{"type":"image","data":"DQo=","mimeType":"image/png"}]}\r\n`, `{"content":[{"type":"image","data":"DQo=","mimeType":"image/png"}],"isError":false,"_meta":{"exitCode":0}}`},
	} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			is.Equal(run(t, "#!/bin/sh\nprintf '"+c.output+"'"), c.want)
		})
	}
}

func TestCarriageReturnsArePassedOnToThoseWhoNeedThem(t *testing.T) {
	is := is.New(t)
	r := newRuntime(t)
	r.KeepCR = true
	result, err := r.Call(t.Context(), new(heard).call(newTool(t, r, "#!/bin/sh\nprintf '\\357\\273\\277a\\r\\n'")))
	is.NoErr(err)
	is.Equal(string(result.Content[0].JSON()), `{"type":"text","text":"`+"\ufeff"+`a\r\n"}`)
}
