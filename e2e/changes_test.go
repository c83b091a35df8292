package e2e

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/matryer/is"
)

func TestAChangeRightAfterTheFirstAnswerIsTold(t *testing.T) {
	t.Parallel()
	const opened = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"e2e","version":"1"}}}`
	listen := `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":` + claimed(`{"notifications":{"promptsListChanged":true}}`, "{}") + `}`
	for _, c := range []struct{ name, first, then string }{
		{"initialize", opened, `{"jsonrpc":"2.0","method":"notifications/initialized"}`},
		{"subscriptions/listen", listen, ""},
	} {
		for i := range 10 { // on a busy machine some of them are fast
			t.Run(fmt.Sprint(c.name, " ", i), func(t *testing.T) {
				t.Parallel()
				is := is.New(t)
				project := newProject(t, map[string]string{"tools/a/tool.sh": "#!/bin/sh\n", "prompts/a.md": "a"})
				s := start(t, command(t, "serve", "-C", project))
				s.send(c.first)
				_, ok := s.recv("the first answer")
				is.True(ok)
				write(t, filepath.Join(project, "prompts/b.md"), "b")
				if c.then != "" {
					s.send(c.then)
				}
				for got := ""; !strings.Contains(got, "notifications/prompts/list_changed"); {
					got, ok = s.recv("the change")
					is.True(ok)
				}
			})
		}
	}
}
