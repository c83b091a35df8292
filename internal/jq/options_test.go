package jq

import (
	"slices"
	"strings"
	"testing"

	"github.com/matryer/is"
)

func TestOptionsMayAppearAnywhere(t *testing.T) {
	is := is.New(t)
	for _, args := range []string{"-rc .a f.json", ".a -rc f.json", ".a f.json -c -r", "-r .a --compact-output f.json"} {
		o, err := parseOptions(strings.Fields(args))
		is.NoErr(err)
		is.Equal(o.filter, ".a")              // the first operand
		is.Equal(o.files, []string{"f.json"}) // the others
		is.True(o.raw && o.compact)           // both options
	}
}

func TestBadOptionsAreExplained(t *testing.T) {
	for args, want := range map[string]string{
		"--nope":           "unknown option --nope",
		"--n":              "unknown option --n",
		"-rX .":            "unknown option -rX",
		"--arg x":          "--arg needs parameters: --arg name value",
		"--slurpfile":      "--slurpfile needs parameters: --slurpfile name file",
		"--indent":         "--indent needs parameters: --indent number",
		"--indent 9 .":     `--indent takes a number from 0 to 7, not "9"`,
		"-L":               "-L needs parameters: -L dir",
		"-f":               "-f takes a parameter: the file that holds the filter",
		"--argjson x { .":  "bad value for --argjson x: unexpected EOF at line 1",
		"--rawfile x no .": "could not open no",
	} {
		t.Run(args, func(t *testing.T) {
			is := is.New(t)
			out, err, code := run("", strings.Fields(args)...)
			is.Equal(out, "")                                                      // nothing is printed
			is.True(strings.Contains(strings.ToLower(err), strings.ToLower(want))) // the error
			is.Equal(code, exitUsage)                                              // bad arguments
		})
	}
}

func TestHelpListsEveryOption(t *testing.T) {
	is := is.New(t)
	out, err, code := run("", "--help")
	is.Equal(err, "") // it goes to the output
	is.Equal(code, 0) // it was requested
	for word := range strings.FieldsSeq(out) {
		name, isOption := strings.CutPrefix(strings.TrimSuffix(word, ","), "--")
		if _, takes := parameters[name]; isOption && name != "" && !takes {
			is.True((&options{}).flag(name) != nil) // the option exists
		}
	}
	for name := range parameters {
		is.True(strings.Contains(out, "-"+name) || name == "argfile") // the option is named; jq has removed argfile
	}
}

func FuzzOptions(f *testing.F) {
	for _, r := range rows() {
		f.Add(strings.Join(words(r.args), "\x00"))
	}
	f.Fuzz(func(t *testing.T, joined string) {
		args := strings.Split(joined, "\x00")
		given := slices.Clone(args)
		o, err := parseOptions(args)
		if !slices.Equal(args, given) {
			t.Fatal("the arguments were changed")
		}
		if err != nil {
			if strings.TrimSpace(err.Error()) == "" {
				t.Fatal("an error that says nothing")
			}
			return
		}
		operands := slices.Concat(o.files, o.libraries)
		for _, b := range slices.Concat(o.named, o.positional) {
			operands = append(operands, b.given)
		}
		for _, operand := range operands {
			if !slices.ContainsFunc(args, func(arg string) bool { return strings.HasSuffix(arg, operand) }) {
				t.Fatalf("%q is none of the arguments", operand)
			}
		}
		if len(operands) > len(args) {
			t.Fatal("more operands than arguments")
		}
		if o.indent < 0 || o.indent > 7 || o.compact && o.tab {
			t.Fatalf("an impossible layout: %+v", o)
		}
	})
}
