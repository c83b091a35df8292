package check

import (
	"os/exec"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/process"
)

func TestAScriptThatItsInterpreterCannotParseIsAnError(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is not installed")
	}
	is := is.New(t)
	o := options()
	o.Runner = &process.Runner{}
	defer o.Runner.Close(0)
	r := checked(t, folderOf(t, "-- tools/a/tool.py --\n#!/usr/bin/env python3\nx = 1\nif x\n    y = 2\n"+
		"-- tools/b/tool.py --\n#!/usr/bin/env python3\nopen('ran', 'w')\n"), o)
	found := ""
	for _, m := range r.Messages {
		if m.Rule == "syntax" {
			found += m.Message + "\n"
			is.Equal(m.Line, 3)
			is.Equal(m.File, "tools/a/tool.py") // the other one parses, and has not run
		}
	}
	is.True(found != "")
}

func TestAScriptThatNothingParsesIsReportedAsNotChecked(t *testing.T) {
	if _, err := exec.LookPath("perl"); err != nil {
		t.Skip("perl is not installed")
	}
	is := is.New(t)
	o := options()
	o.Runner = &process.Runner{}
	defer o.Runner.Close(0)
	r := checked(t, folderOf(t, "-- tools/a/tool.pl --\n#!/usr/bin/env perl\nBEGIN { die }\n"), o)
	is.Equal(rules(r), "info syntax tools/a/tool.pl")
	for _, m := range r.Messages {
		is.True(m.Rule != "syntax" || m.Message == "not checked: it is not known how perl parses a script without running any of it")
	}
}
