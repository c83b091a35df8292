package bundle

import (
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

func TestSettingsKeepTheOrderOfTheirAuthor(t *testing.T) {
	is := is.New(t)
	all, err := ParseSettings(json.Value(`{
		"zone": {"type":"string","title":"Zone","description":"d","default":"UTC"},
		"api_key": {"type":"string","title":"Key","description":"d","sensitive":true,"required":true},
		"dirs": {"type":"directory","title":"Folders","description":"d","multiple":true,"default":["${HOME}"]},
		"count": {"type":"number","title":"Count","description":"d","min":1,"max":9,"default":3},
		"dry": {"type":"boolean","title":"Dry","description":"d","default":false}}`))
	is.NoErr(err)
	var keys []string
	for _, s := range all {
		keys = append(keys, s.Key)
	}
	is.Equal(strings.Join(keys, " "), "zone api_key dirs count dry")
}

func TestSettingsThatClientsWouldRefuseAreRefusedByName(t *testing.T) {
	for text, want := range map[string]string{
		`[]`: `must be an object`,
		`{"k":{"type":"secret","title":"t","description":"d"}}`:                             `k: invalid type "secret": write string, number, boolean, directory or file`,
		`{"k":{"type":"string","description":"d"}}`:                                         `k: must have "type" and "title"`,
		`{"k":{"title":"t"}}`:                                                               `k: must have "type" and "title"`,
		`{"k":{"type":"string","title":"t","description":"d","multiple":true}}`:             `k: multiple is only valid for directory/file, not for string`,
		`{"k":{"type":"number","title":"t","description":"d","sensitive":true}}`:            `k: sensitive is only valid for string, not for number`,
		`{"k":{"type":"string","title":"t","description":"d","min":1}}`:                     `k: min and max are only valid for number, not for string`,
		`{"k":{"type":"number","title":"t","description":"d","min":3,"max":1}}`:             `k: min must be <= max`,
		`{"k":{"type":"number","title":"t","description":"d","max":1,"default":2}}`:         `k: default must be <= max: 2`,
		`{"k":{"type":"number","title":"t","description":"d","default":"2"}}`:               `k: default must be number: "2"`,
		`{"k":{"type":"boolean","title":"t","description":"d","default":"yes"}}`:            `k: default must be boolean: "yes"`,
		`{"k":{"type":"file","title":"t","description":"d","default":["a"]}}`:               `k: default must be string: ["a"]`,
		`{"k":{"type":"file","title":"t","description":"d","multiple":true,"default":[1]}}`: `k: default must be string, or an array of strings: [1]`,
		`{"k":{"type":"string","title":"t","description":"d","tpye":1}}`:                    `k: /tpye is not known`,
		`{"a b":{"type":"string","title":"t","description":"d"}}`:                           `key "a b" cannot contain , = or other marks: use letters, digits and _`,
		`{"k":1}`: `k: / must not be a number`,
	} {
		t.Run(text, func(t *testing.T) {
			is := is.New(t)
			_, err := ParseSettings(json.Value(text))
			is.True(err != nil) // it is refused
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%q does not say %q", err, want)
			}
		})
	}
}

func FuzzSettings(f *testing.F) {
	f.Add([]byte(`{"k":{"type":"number","title":"t","description":"d","min":1e309}}`))
	f.Add([]byte(`{"k":{},"k":`))
	f.Add([]byte(`{}0`))
	f.Fuzz(func(t *testing.T, text []byte) {
		if all, err := ParseSettings(text); err == nil && len(text) > 0 && !json.Value(text).IsValid() {
			t.Errorf("%q is no JSON, and gives %v", text, all)
		}
	})
}
