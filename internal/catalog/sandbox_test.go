package catalog

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/matryer/is"
)

func TestWhatASandboxMaySay(t *testing.T) {
	for text, want := range map[string]Sandbox{
		`"auto"`: {Auto: true},
		`"none"`: {None: true},
		`{}`:     {},
		`{"read":["data","/etc","~/.gitconfig","@roots"],"write":["out"],"network":true}`: {
			Read: []string{"data", "/etc", "~/.gitconfig", "@roots"}, Write: []string{"out"}, Network: true},
	} {
		t.Run(text, func(t *testing.T) {
			is := is.New(t)
			s := found(t, "-- tools/a.sh --\n-- tools/a.meta.json --\n{\"sandbox\":"+text+"}\n")
			is.Equal(faults(s), "")
			is.Equal(*s.Items[0].Sandbox, want)
			var kept objectWriter
			kinds[kindTool].write(&kept, s.Items[0], paths{}, false)
			again := found(t, "-- tools/a.sh --\n-- tools/a.meta.json --\n"+string(kept.object())+"\n")
			is.Equal(*again.Items[0].Sandbox, want) // also as it is kept
		})
	}
}

// The author of a sandbox wanted to restrict the tool.
func TestAToolWithABrokenSandboxIsNotServed(t *testing.T) {
	for text, reason := range map[string]string{
		`null`:                   "sandbox: must be auto, none or an object, not null",
		`true`:                   "sandbox: must be auto, none or an object, not true or false",
		`"atuo"`:                 `sandbox: must be auto, none or an object, not "atuo"`,
		`["data"]`:               "sandbox: must be auto, none or an object, not an array",
		`{"wirte":["x"]}`:        "sandbox.wirte: is not a known field",
		`{"read":"data"}`:        "sandbox.read: must be an array of paths, not a string",
		`{"read":null}`:          "sandbox.read: must be an array of paths, not null",
		`{"write":["a",1]}`:      "sandbox.write.1: must be a path, not a number",
		`{"write":[""]}`:         "sandbox.write.0: is not a path",
		`{"write":["$HOME/x"]}`:  `sandbox.write.0: is "$HOME/x", but only ~/ and @roots are expanded`,
		`{"write":["~root/x"]}`:  `sandbox.write.0: is "~root/x", but only ~/ and @roots are expanded`,
		`{"read":["@root"]}`:     `sandbox.read.0: is "@root", but only ~/ and @roots are expanded`,
		`{"network":"no"}`:       "sandbox.network: must be true or false, not a string",
		`"auto","annotations":1`: "sandbox: is auto, which depends on the annotations, and one of those is invalid",
		`"auto","annotations":{"readOnlyHint":"yes"}`: "sandbox: is auto, which depends on the annotations, and one of those is invalid",
	} {
		t.Run(text, func(t *testing.T) {
			is := is.New(t)
			s := found(t, "-- tools/good.sh --\n-- tools/a.sh --\n-- tools/a.meta.json --\n{\n\"sandbox\":"+text+"}\n")
			is.True(strings.Contains(faults(s), "tools/a.meta.json:2: "+reason)) // file, line and field
			is.Equal(names(s), "good")
		})
	}
}

func TestWhatTheAnnotationsSayOfTheReachOfATool(t *testing.T) {
	for text, want := range map[string][2]bool{
		`{}`:                     {false, false},
		`{"readOnlyHint":true}`:  {true, false},
		`{"openWorldHint":true}`: {false, false},
		`{"readOnlyHint":false,"openWorldHint":false}`: {false, true},
	} {
		is := is.New(t)
		is.True(json.Valid([]byte(text)))
		s := found(t, "-- tools/a.sh --\n-- tools/a.meta.json --\n{\"annotations\":"+text+"}\n")
		is.Equal([2]bool{s.Items[0].ReadOnly, s.Items[0].ClosedWorld}, want)
	}
}
