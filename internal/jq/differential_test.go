package jq

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/matryer/is"
)

// A difference is a row for which jq 1.6 does something else.
type difference struct{ args, in, why string }

const (
	newer  = "new in 1.7"
	mended = "mended in 1.7"
	digits = "1.6 rounds numbers to 17 digits and drops zeros; 1.7 keeps them"
	hangs  = "jq 1.6 does not come to an end"
)

func differences() []difference {
	return []difference{
		{`-c '[.[] | if . > 1 then "big" end]'`, `[1,2]`, newer},
		{`-c '{$__loc__}, $__loc__'`, `null`, newer},
		{`-c 'pick(.m, .a.c)'`, `{"z":0,"a":{"d":1,"c":2},"m":2}`, newer},
		{`-r '@base32, (@base32 | @base32d)'`, `"hi"`, newer},
		{`-c 'ascii'`, `65`, newer},
		{`-c 'abs, toarray, have_literal_numbers, trim'`, `"x"`, newer},
		{`-c '[.[] | abs], (.[0] | toarray)'`, `[-1,2]`, newer},
		{`-c 'reverse, (explode | reverse | implode)'`, `"abc"`, newer},
		{`--raw-output0 '.[]'`, `["a","b"]`, newer},
		{`--raw-output0 .`, `"a\u0000b"`, newer},
		{`-b .`, `1`, newer},
		{`.`, `nan`, newer},
		{`-c 'limit(0; 1, 2)'`, `null`, mended},
		{`-c '(.[] | select(. >= 2)) |= empty'`, `[1,5,3,0,7]`, mended},
		{`-e .`, ``, mended},
		{`'., halt'`, `1 2`, mended},
		{`'error(null)'`, `null`, mended},
		{`--jsonargs . '{'`, ``, mended},
		{`-r 'gsub("";"-")'`, `"ab"`, hangs},
		{`-c .`, `[1.0,1.10,100,1e2,0.0001]`, digits},
		{`-c .`, `12345678901234567890`, digits},
		{`-c '. + 1'`, `9007199254740993`, digits},
		{`.`, `[01, .5, 1., +2, 1.50]`, digits},
		{`'{(1): 2}'`, `null`, "jq finds this when it compiles the filter"},
		{`'1 / 0'`, `null`, "jq finds this when it compiles the filter"},
		{`-r '. * 3, . * 0'`, `"ab"`, `"ab" * 0 is "", as in 1.8; it was null before`},
		{`-c --seq .`, `1 [2]`, "jq wants a separator before the first text of a sequence"},
		{`-n -- 1`, ``, "jq wants the filter before --"},
		{`-C -c .`, `1`, "no colours"},
		{`-V`, ``, "another version"},
	}
}

func TestScriptsCannotTellTheDifference(t *testing.T) {
	if testing.Short() {
		t.Skip("jq takes 20 ms for each row")
	}
	jq, version := realJq(t)
	if !strings.HasPrefix(version, "jq-1.6") {
		t.Skipf("jq here is %s; the known differences are those of jq-1.6", version)
	}
	dir := folder(t)
	known := differences()
	for _, r := range rows() {
		i := slices.IndexFunc(known, func(d difference) bool { return d.args == r.args && d.in == r.in })
		t.Run(r.args, func(t *testing.T) {
			t.Parallel()
			is := is.New(t)
			if i >= 0 && known[i].why == hangs {
				t.Skip(hangs)
			}
			out, code := runReal(t, jq, dir, r)
			if code == 4 && r.code == 5 {
				code = 5 // 1.7 gives input that is not JSON an exit code of its own
			}
			if i >= 0 {
				is.True(out != r.out || code != r.code) // listed, but no difference
				return
			}
			is.Equal(cmp.Diff(out, r.out), "") // the output of jq
			is.Equal(code, r.code)             // the exit code of jq
		})
	}
}

func TestEachDifferenceIsThatOfARow(t *testing.T) {
	is := is.New(t)
	for _, d := range differences() {
		is.True(slices.ContainsFunc(rows(), func(r row) bool { return r.args == d.args && r.in == d.in })) // d is a row
	}
}

// realJq finds the jq that is installed, and its version.
func realJq(t *testing.T) (path, version string) {
	t.Helper()
	path, err := exec.LookPath("jq")
	if err != nil {
		t.Skip("no jq on PATH to compare with")
	}
	out, err := exec.Command(path, "--version").Output()
	if err != nil {
		t.Skipf("%s --version: %v", path, err)
	}
	return path, strings.TrimSpace(string(out))
}

func runReal(t *testing.T, jq, dir string, r row) (string, int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, jq, words(r.args)...)
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
