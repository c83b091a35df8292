package jq

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/matryer/is"
)

// A row is a call of jq: its arguments as a script writes them, without the jq, and the expected
// result.
type row struct {
	args string
	in   string
	out  string
	code int
}

func rows() []row {
	return slices.Concat(pathRows(), constructRows(), updateRows(), textRows(), manualRows(), inputRows(), optionRows(), errorRows())
}

// words splits arguments at blanks and removes quotes, as a shell does.
func words(args string) []string {
	var all []string
	for rest := strings.TrimLeft(args, " "); rest != ""; rest = strings.TrimLeft(rest, " ") {
		word := ""
		for rest != "" && rest[0] != ' ' {
			if quote := rest[0]; quote == '\'' || quote == '"' {
				quoted, after, _ := strings.Cut(rest[1:], string(quote))
				word, rest = word+quoted, after
				continue
			}
			word, rest = word+rest[:1], rest[1:]
		}
		all = append(all, word)
	}
	return all
}

// folder creates the files that rows use.
func folder(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.json":        "{\"a\":1}\n",
		"b.json":        "{\"a\":2}\n",
		"pkg.json":      `{"name":"p","version":"1.0","private":true}`,
		"bad.json":      "1\n{\"x\":\n}",
		"lines.txt":     "one\ntwo",
		"filter.jq":     "# the value, and one more\n.a\n| . + 1\n",
		"script.jq":     "#!/usr/bin/jq -rf\n\"x\\(.)\"\n",
		"lib/util.jq":   "def pair($a; $b): {b: $b, a: $a};\n",
		"lib/data.json": "{\"a\":1}\n",
	} {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// environ returns the environment of rows.
func environ(dir string) []string { return []string{"FOO=bar", "HOME=" + dir, "TZ=UTC"} }

// run runs a filter on a text and returns what it prints and its exit code.
func run(in string, args ...string) (out, err string, code int) {
	var o, e bytes.Buffer
	code = Main(args, strings.NewReader(in), &o, &e, environ("/nowhere"))
	return o.String(), e.String(), code
}

func TestScriptsGetWhatTheyGetFromJq(t *testing.T) {
	dir := folder(t)
	t.Chdir(dir)
	for _, r := range rows() {
		t.Run(r.args, func(t *testing.T) {
			is := is.New(t)
			var out, err bytes.Buffer
			code := Main(words(r.args), strings.NewReader(r.in), &out, &err, environ(dir))
			t.Logf("stderr: %s", err.String())
			is.Equal(cmp.Diff(r.out, out.String()), "") // the output
			is.Equal(code, r.code)                      // the exit code
		})
	}
}

func TestWordsSplitsAsAShell(t *testing.T) {
	is := is.New(t)
	is.Equal(words(` -r  '.a b' "it's" x'y z'w `), []string{"-r", ".a b", "it's", "xy zw"}) // quotes join
	is.Equal(words(``), nil)                                                                // no words
}
