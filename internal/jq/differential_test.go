package jq

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/matryer/is"
)

func TestScriptsCannotTellTheDifference(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: comparing every row with jq takes half a minute")
	}
	jq, version := realJq(t)
	if !strings.HasPrefix(version, "jq-1.6") {
		t.Skipf("jq here is %s, and the list of known differences was made with jq-1.6", version)
	}
	dir := folder(t)
	known := map[string]string{}
	for _, d := range differences() {
		for _, r := range d.rows {
			known[r] = d.why
		}
	}
	together := map[string][]row{}
	for _, r := range rows() {
		why := known[r.String()]
		_, isJSON := split(r.in)
		if option := r.args[:min(3, len(r.args))]; (option == "-c " || option == "-r ") && len(words(r.args)) == 2 &&
			isJSON && why == "" && r.code == 0 && !alone.MatchString(r.args) {
			together[option] = append(together[option], r)
			continue
		}
		t.Run(r.args, func(t *testing.T) {
			t.Parallel()
			is := is.New(t)
			if why == hangs {
				t.Skip("jq itself does not end: " + hangs)
			}
			out, code := runReal(t, jq, dir, r)
			if code == 4 && r.code == 5 {
				code = 5 // 1.7 has a separate exit code for input that is not JSON
			}
			if why != "" {
				is.True(out != r.out || code != r.code) // listed, but not different
				return
			}
			is.Equal(cmp.Diff(out, r.out), "") // the output of jq -S
			is.Equal(code, r.code)             // the exit code of jq
		})
	}
	for option, rows := range together {
		t.Run(option, func(t *testing.T) {
			t.Parallel()
			sameOutputs(t, jq, dir, option, rows)
		})
	}
}

// alone matches filters that have another meaning as a part of a filter.
var alone = regexp.MustCompile(`\binput|\bhalt|\$__loc__|\bimport |\binclude |modulemeta|def f: 1;'|# nothing|-c ''`)

// sameOutputs compares rows in one run of jq, as starting jq takes most of the time.
func sameOutputs(t *testing.T, jq, dir, option string, rows []row) {
	option = strings.TrimSpace(option)
	is := is.New(t)
	const end = "end of the row"
	var program, inputs, want strings.Builder
	for i, r := range rows {
		texts, _ := split(r.in)
		fmt.Fprintf(&inputs, "[%s]\n", strings.Join(texts, ","))
		fmt.Fprintf(&program, "($rows[%d][] | (\n%s\n)), %q,\n", i, words(r.args)[1], end)
		fmt.Fprintf(&want, "%s%s\n", r.out, end)
	}
	program.WriteString("empty")
	is.NoErr(os.WriteFile(filepath.Join(dir, option), []byte(inputs.String()), 0o600))
	is.NoErr(os.WriteFile(filepath.Join(dir, option+".jq"), []byte(program.String()), 0o600))
	out, code := runReal(t, jq, dir, row{args: option + " -n --slurpfile rows ./" + option + " -f ./" + option + ".jq"})
	is.Equal(code, 0)
	got, ours := strings.Split(strings.ReplaceAll(out, `"`+end+`"`, end), end+"\n"), strings.Split(want.String(), end+"\n")
	is.Equal(len(got), len(ours))
	for i, r := range rows {
		if diff := cmp.Diff(got[i], ours[i]); diff != "" {
			t.Errorf("%s\n- jq -S, + wanted:\n%s", r, diff)
		}
	}
}

// split returns the JSON texts of an input.
func split(in string) (texts []string, ok bool) {
	for d := json.NewDecoder(strings.NewReader(in)); ; {
		var text json.RawMessage
		if err := d.Decode(&text); err != nil {
			return texts, err == io.EOF
		}
		texts = append(texts, string(text))
	}
}

func TestEachDifferenceBelongsToARow(t *testing.T) {
	is := is.New(t)
	all := map[string]int{}
	for _, r := range rows() {
		all[r.String()]++
		is.Equal(all[r.String()], 1) // in one list only
	}
	for _, d := range differences() {
		for _, r := range d.rows {
			is.Equal(r+fmt.Sprint(all[r]), r+"1") // is a row, and in one list only
			all[r]++
		}
	}
}

// missing are the builtins of jq 1.6 that this jq lacks.
const missing = "get_jq_origin/0 get_prog_origin/0 get_search_list/0 lgamma_r/0 pow10/0 scalars_or_empty/0"

func TestEveryFunctionOfJqExists(t *testing.T) {
	is := is.New(t)
	jq, _ := realJq(t)
	builtins, code := runReal(t, jq, folder(t), row{args: "-nr 'builtins | sort[]'"})
	is.Equal(code, 0)
	for function := range strings.FieldsSeq(builtins) {
		name, arity, _ := strings.Cut(function, "/")
		n, err := strconv.Atoi(arity)
		is.NoErr(err)
		call := name
		if n > 0 {
			call += "(." + strings.Repeat("; .", n-1) + ")"
		}
		_, _, code := run("", "-n", "def f: "+call+"; 1")
		is.Equal(function+fmt.Sprint(code != exitOK), function+fmt.Sprint(slices.Contains(strings.Fields(missing), function)))
	}
}

// realJq returns the installed jq and its version.
func realJq(t *testing.T) (path, version string) {
	t.Helper()
	path, err := exec.LookPath("jq")
	if err != nil {
		t.Skip("jq is not installed, so there is nothing to compare with")
	}
	out, err := exec.Command(path, "--version").Output()
	if err != nil {
		t.Skipf("%s cannot report its version, so it is not compared with: %v", path, err)
	}
	return path, strings.TrimSpace(string(out))
}

func runReal(t *testing.T, jq, dir string, r row) (string, int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, jq, append([]string{"-S"}, words(r.args)...)...)
	cmd.Dir = dir
	cmd.Env = environ(dir)
	cmd.Stdin = strings.NewReader(r.in)
	var out bytes.Buffer
	cmd.Stdout = &out
	err := cmd.Run()
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		t.Fatal(err)
	}
	return out.String(), cmd.ProcessState.ExitCode()
}
