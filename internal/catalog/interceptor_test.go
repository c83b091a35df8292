package catalog

import (
	"strings"
	"testing"

	"github.com/matryer/is"
)

func TestAnInterceptorWithAFaultIsLeftOutWithItsFileAndLine(t *testing.T) {
	for text, reason := range map[string]string{
		`"type": "validation", "jq": "true"`:              `1: hooks: is missing`,
		`"hooks": [], "type": "validation", "jq": "true"`: `2: hooks: is empty`,
		`"jq": "."`: `1: type: is missing`,
		`"type": "validation", "hooks": [{"events": ["tools/call"], "phase": "request"}]`: `1: jq: is missing, and no script stands beside`,
		`"server": "npx x"`:                            `2: server: must be an array, not a string`,
		`"server": []`:                                 `2: server: is empty; write ["npx", "some-server"]`,
		`"server": ["npx", "x"], "jq": "true"`:         `2: jq: is for an interceptor, and this is a server`,
		`"server": ["npx", "x"], "type": "validation"`: `2: type: is for an interceptor, and this is a server`,
	} {
		t.Run(text, func(t *testing.T) {
			is := is.New(t)
			p := opened(t, folderOf(t, "-- interceptors/mine/mine.meta.json --\n{\n"+text+"}\n"), Options{})
			s, err := p.Interceptors(t.Context())
			is.NoErr(err)
			is.Equal(len(s.Items), 0)
			is.True(strings.Contains(faults(s), "interceptors/mine/mine.meta.json:"+reason))
		})
	}
}
