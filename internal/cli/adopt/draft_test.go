package adopt_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/argv"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/adopt"
	"github.com/mcp-bash/mcp-bash/v2/internal/schema"
)

func TestADraftIsTheMetadataOfATool(t *testing.T) {
	is := is.New(t)
	r := adopt.Read("backup", []byte("#!/bin/sh\n# Copies a folder.\n#\n"+
		"# Usage: backup [-z] SRC [DEST] [LABEL]\n#   -z   compress\n"+
		"while getopts z o; do case $o in z) zip=1;; esac; done\nshift $((OPTIND-1))\n"+
		"cp -r \"$1\" \"${2:-}\" \"${3:-}\"\n"))
	is.True(r.Known)
	is.Equal(string(adopt.NewDraft(r).Metadata()), `{
  "description": "Copies a folder.",
  "inputSchema": {
    "type": "object",
    "properties": {
      "zip": {"type": "boolean", "description": "compress"},
      "src": {"type": "string", "pattern": "^([^-]|$)"},
      "dest": {"type": "string", "pattern": "^([^-]|$)"},
      "label": {"type": "string", "pattern": "^([^-]|$)"}
    },
    "required": ["src"],
    "dependentRequired": {"label": ["dest"]},
    "additionalProperties": false
  },
  "argv": ["{zip?-z}", "--", "{src}", "{dest?}", "{label?}"]
}
`)
}

func TestAnOptionSelectsAnotherFormOfTheCommandLine(t *testing.T) {
	is := is.New(t)
	r := adopt.ReadHelp("seek 1.0\nSomebody <s@example.org>\n\nseek (sk) finds things.\n\n"+
		"USAGE:\n    seek [OPTIONS] PATTERN [PATH ...]\n"+
		"    seek [OPTIONS] -e PATTERN ... [PATH ...]\n    seek [OPTIONS] --list\n    command | seek [OPTIONS] PATTERN\n\n"+
		"OPTIONS:\n    -e, --regexp <PATTERN>...\n            What to find, see\n            --list too.\n\n"+
		"    --arg a v  sets a to v\n", "seek")
	is.Equal(r.Description, "seek (sk) finds things.")
	is.Equal(told(r), `regexp string ["--regexp", "{regexp}"] (What to find, see)
list boolean "{list?--list}"
pattern string "{pattern?}"
path string list "{path...}"
? 0 its usage shows several forms of the command line, of which the tool has the first
`)
	r = adopt.ReadHelp("Usage:\tpick [options] <pick filter> [file...]\n"+
		"\tpick [options] --args <pick filter> [strings...]\n", "pick")
	is.Equal(told(r), `pick_filter string! "{pick_filter}" guarded
file string list "{file...}"
? 0 its usage shows several forms of the command line, of which the tool has the first
? 0 its usage line shows options, which are not listed: say in file which they are
`)
	r = adopt.ReadHelp("Usage: find [-f file] PATTERN [FILE]...\n"+
		"  -f, --file FILE  where patterns are\n  -p, --pattern PATTERN\n", "find")
	is.Equal(told(r), `file string ["--file", "{file}"] (where patterns are)
pattern string ["--pattern", "{pattern}"]
pattern_2 string! "{pattern_2}"
files string list "{files...}"
`)
	r = adopt.ReadHelp("Usage: get [-o json] (TYPE[.VERSION] [NAME] | TYPE/NAME ...) [flags]\n", "get")
	is.Equal(told(r), "json string [\"-o\", \"{json}\"]\n"+
		"args string list \"{args...}\" (its arguments, each a word of its own; no shell reads them)\n"+
		"? 0 its usage line is not understood, so it decides nothing\n")
}

func TestDoubleDashesStandWhereTheUsageShowsThem(t *testing.T) {
	is := is.New(t)
	r := adopt.ReadHelp("usage: git log [<options>] [<revision-range>] [[--] <path>...]\n\n"+
		"    -q, --quiet    say less\n", "git-log")
	d := adopt.NewDraft(r)
	checkDraft(t, d)
	is.True(strings.HasSuffix(string(d.Metadata()), `
    "properties": {
      "quiet": {"type": "boolean", "description": "say less"},
      "revision_range": {"type": "string", "pattern": "^([^-]|$)"},
      "path": {"type": "array", "items": {"type": "string"}}
    },
    "additionalProperties": false
  },
  "argv": ["{quiet?--quiet}", "{revision_range?}", "--", "{path...}"]
}
`))
}

func TestWhatAProgramPrintsWhenAskedForHelp(t *testing.T) {
	is := is.New(t)
	r := adopt.ReadHelp(`usage: fetch [-h] [--retries N] [-o FILE] [-v]
             url [mirror ...]

Fetches a page.

positional arguments:
  url             what to fetch

options:
  -h, --help      show this help message and exit
  --retries N     how often
  -o FILE, --output FILE
                  where to
  -v, --verbose   say more
`, "fetch")
	is.Equal(r.Description, "Fetches a page.")
	is.Equal(told(r), `retries string ["--retries", "{retries}"] (how often)
output string ["--output", "{output}"] (where to)
verbose boolean "{verbose?--verbose}" (say more)
url string! "{url}"
mirror string list "{mirror...}"
`)
}

func TestTheDescriptionOfAHelpTextStandsAboveItsOptions(t *testing.T) {
	for _, c := range []struct{ help, want string }{
		{
			"Usage: wc [OPTION]... [FILE]...\n  or:  wc [OPTION]... --files0-from=F\n" +
				"Print newline, word, and byte counts for each FILE, and a total\nline if there are several.\n\n" +
				"With no FILE, read standard input.\n\n  -c, --bytes  print the byte counts\n",
			"Print newline, word, and byte counts for each FILE, and a total line if there are several.",
		},
		{
			"Usage: grep [OPTION]... PATTERNS [FILE]...\n" +
				"Search for PATTERNS in each FILE.\nExample: grep -i hello menu.h\n",
			"Search for PATTERNS in each FILE.",
		},
		{"OVERVIEW: counts the words\n\nUSAGE: wc [options] FILE\n\n  -c  bytes\n", "counts the words"},
		{"Usage: wc [options...] <file>\n -c, --bytes   print bytes\n\nThis is not the full help.\n", ""},
		{"usage: wc [-c]\n          --words WORDS\n          FILE\n\nCounts the words.\n", "Counts the words."},
		{"Usage: wc FILE\n\nwc all        counts all that there is\nFor more details see wc(1).\n", ""},
		{"unknown option -- -\nusage: wc [-c] FILE\n", ""},
		{"wc: cannot open --help\n", ""},
	} {
		t.Run(c.want, func(t *testing.T) { is.New(t).Equal(adopt.ReadHelp(c.help, "wc").Description, c.want) })
	}
}

func TestOptionsOfHelpTextsOfManyKinds(t *testing.T) {
	is := is.New(t)
	r := adopt.ReadHelp("Usage: x [OPTION]... [FILE]...\n"+
		"  -a, --all                  all of it\n"+
		"      --block-size=SIZE      scale\n"+
		"  -T, --tabsize=COLS         tabs\n"+
		"      --color[=WHEN]         when\n"+
		"  -j <n>   jobs\n"+
		"  -d --dir <path>   where\n", "x")
	is.Equal(told(r), `all boolean "{all?--all}" (all of it)
block_size string "--block-size={block_size?}" (scale)
tabsize string "--tabsize={tabsize?}" (tabs)
color string "--color={color?}" (when)
n string ["-j", "{n}"] (jobs)
dir string ["--dir", "{dir}"] (where)
file string list "{file...}"
? 0 --color may stand without a value, too, which the tool cannot do
`)
}

func FuzzReadingNeverFailsAndDraftsAreMetadata(f *testing.F) {
	for _, seed := range []string{
		"#!/bin/sh\necho $1",
		"#!/usr/bin/env python3\np.add_argument('-x', type=int, default=-1)",
		"#!/bin/bash\nwhile getopts :a:b o; do case $o in a) A=$OPTARG;; esac; done; shift $((OPTIND-1)); f=$1",
		"#!/bin/bash\nwhile (( $# )); do case $1 in --x=*) X=${1#*=};; " +
			"-y|--yy) Y=$2; shift;; *) F+=($1);; esac; shift; done",
		"# Usage: x [-a] {b}\n#  -a, --all=N   what\n",
		"#!/usr/bin/perl\n# --x  y",
		"'''",
		"add_argument(",
		"p.add_argument('{}', help='}{')",
		"#!/bin/sh\nx=${1:-\"{\"}; case $1 in '') ;; esac",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, name := range []string{"x.sh", "x.py", "x"} {
			r := adopt.Read(name, text)
			checkDraft(t, adopt.NewDraft(r))
		}
		checkDraft(t, adopt.NewDraft(adopt.ReadHelp(string(text), "")))
	})
}

// checkDraft checks that a draft is a tool that a project serves: every word of its command line is valid
// and has its argument.
func checkDraft(t *testing.T, d *adopt.Draft) {
	t.Helper()
	var tool struct {
		InputSchema json.RawMessage
		Argv        []any
	}
	if err := json.Unmarshal(d.Metadata(), &tool); err != nil {
		t.Fatalf("%v in\n%s", err, d.Metadata())
	}
	if _, err := schema.Compile(tool.InputSchema); err != nil {
		t.Fatalf("%v in\n%s", err, d.Metadata())
	}
	var words []string
	for _, item := range tool.Argv {
		switch item := item.(type) {
		case string:
			words = append(words, item)
		case []any:
			for _, word := range item {
				words = append(words, word.(string))
			}
		}
	}
	for _, text := range words {
		word, err := argv.ParseWord(text)
		if err != nil {
			t.Fatalf("%v in\n%s", err, d.Metadata())
		}
		for _, place := range word.Places() {
			if !slices.ContainsFunc(d.Arguments, func(a adopt.Argument) bool { return a.Name == place.Name }) {
				t.Fatalf("%q has no argument %q in\n%s", text, place.Name, d.Metadata())
			}
		}
	}
}

func TestADefaultIsToldAndNeverSent(t *testing.T) {
	is := is.New(t)
	r := adopt.Read("x.sh", []byte("#!/bin/sh\nport=$(setting port)\ntest -z \"$port\" && port=1234\n"+
		"while [ $# -gt 0 ]; do case $1 in -p) port=$2; shift ;; esac; shift; done\nlisten \"$port\"\n"))
	is.True(strings.Contains(string(adopt.NewDraft(r).Metadata()),
		`"port": {"type": "integer", "description": "1234 if not given"}`))
}
