package adopt_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/adopt"
)

func TestAScriptThatLooksForItsOwnFolderIsNotCopied(t *testing.T) {
	for script, want := range map[string]bool{
		"#!/bin/sh\ndir=`echo \"$0\" | sed -e 's,[^/]*$,,'`\nexec \"${dir}ed\"\n": true,
		"#!/bin/sh\nexec $0.bin \"$@\"\n":                                         true,
		"#!/bin/sh\nprog=$0\n. \"$(dirname \"$prog\")/lib\"\n":                    true,
		"#!/bin/sh\n. \"${0%/*}/lib\"\n":                                          true,
		"#!/bin/sh\nprog=`echo $0 | sed 's|.*/||'`\necho \"$0: $prog: no\"\n":     false,
		"#!/bin/sh\nname=${0##*/}\nsed -n 2,9p \"$0\"\nexec sudo \"$0\"\n":        false,
		"#!/usr/bin/perl\nuse FindBin;\nprint 1;\n":                               true,
		"#!/usr/bin/perl\n(my $d = $0) =~ s,/[^/]*$,,;\nexec \"$d/x\";\n":         true,
		"#!/usr/bin/perl\nexec \"$0.bin\";\n":                                     true,
		"#!/usr/bin/perl\ndie \"Usage: $0 x\\n\" if basename($0);\n":              false,
		"#!/usr/bin/perl\n($p = $0) =~ s,.*/,,;\nprint \"$0.\\n\";\n":             false,
		"#!/usr/bin/ruby\nputs 1 if __FILE__ == $0\n":                             false,
		"#!/usr/bin/ruby\nload File.dirname($0) + '/x'\n":                         true,
		"#!/usr/bin/python3\nopen(os.path.dirname(sys.argv[0]) + '/x')\n":         true,
		"#!/usr/bin/python3\nopen(Path(__file__).parent / 'x')\n":                 true,
		"#!/usr/bin/python3\nprint(os.path.basename(__file__), json.__file__)\n":  false,
		"#!/usr/bin/env node\nfs.readFileSync(path.join(__dirname, 'x'))\n":       true,
	} {
		t.Run(script, func(t *testing.T) { is.New(t).Equal(adopt.Read("x", []byte(script)).Beside, want) })
	}
}

func TestWhatAScriptSourcesByNameIsLookedForOnThePath(t *testing.T) {
	for head, want := range map[string]string{
		"#!/bin/sh":   "line 2: it calls lib, which is not on the PATH",
		"#!/bin/bash": "line 2: it uses lib of the folder that it is started in",
		"#!/usr/bin/perl\n# . lib\nprint \"a \"\n . lib(1);\n#": "", // where a point is something else
	} {
		t.Run(head, func(t *testing.T) {
			is := is.New(t)
			folder := t.TempDir()
			script := filepath.Join(folder, "x")
			is.NoErr(os.WriteFile(filepath.Join(folder, "lib"), nil, 0o644))
			is.NoErr(os.WriteFile(script, []byte(head+"\n. lib\necho\n"), 0o755))
			s, err := adopt.Open(script, nil, false)
			is.NoErr(err)
			_, err = s.Plan(t.TempDir(), "x")
			is.NoErr(err)
			var all []string
			for _, d := range s.Doubts {
				all = append(all, d.String())
			}
			got := strings.Join(all, "\n")
			is.True(strings.Contains(got, want))                                                                         // what it needs is named
			is.Equal(strings.Count(got, " lib"), strings.Count(want, "it calls lib")+strings.Count(want, "it uses lib")) // once
		})
	}
}
