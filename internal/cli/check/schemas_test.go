package check

import (
	"strings"
	"testing"

	"github.com/matryer/is"
)

func TestWhatASchemaHardlyMeansIsReportedWithItsLine(t *testing.T) {
	const tool = "#!/bin/sh\n"
	const slip = `{"type": "object", "properties": {` + "\n" + `"a": {"type": "string", "minLenght": 1}}}`
	const says = "properties.a.minLenght: is not a keyword of JSON Schema, so it checks nothing"
	for name, c := range map[string]struct{ files, want string }{
		"input": {"-- 755 tools/a/tool.sh --\n" + tool + "-- tools/a/tool.meta.json --\n{\"inputSchema\": " + slip + "}\n",
			"tools/a/tool.meta.json:2: inputSchema." + says},
		"input by its older name": {"-- 755 tools/a/tool.sh --\n" + tool + "-- tools/a/tool.meta.json --\n{\"arguments\": " + slip + "}\n",
			"tools/a/tool.meta.json:2: arguments." + says},
		"output": {"-- 755 tools/a/tool.sh --\n" + tool + "-- tools/a/tool.meta.json --\n{\"outputSchema\": " + slip + "}\n",
			"tools/a/tool.meta.json:2: outputSchema." + says},
		"in YAML": {"-- 755 tools/a/tool.sh --\n" + tool + "-- tools/a/tool.meta.yaml --\ninputSchema:\n  properties:\n    a: {minLenght: 1}\n",
			"tools/a/tool.meta.yaml:3: inputSchema." + says},
		"a prompt": {"-- prompts/p.md --\nx\n-- prompts/p.meta.json --\n{\"arguments\": " + slip + "}\n",
			"prompts/p.meta.json:2: arguments." + says},
		"by hand": {"-- 755 tools/a/tool.sh --\n" + tool + "-- server.d/register.json --\n" +
			"{\"version\": 1, \"tools\": [{\"name\": \"z\", \"path\": \"a/tool.sh\"},\n" +
			"{\"name\": \"a\", \"path\": \"a/tool.sh\", \"inputSchema\": " + slip + "}]}\n",
			"server.d/register.json:3: tools.1.inputSchema." + says},
	} {
		t.Run(name, func(t *testing.T) {
			var said []string
			for _, m := range found(t, c.files).Messages {
				if strings.Contains(m.Message, "minLenght") {
					said = append(said, m.Place()+m.Message)
				}
			}
			is.New(t).Equal(strings.Join(said, "\n"), c.want)
		})
	}
}
