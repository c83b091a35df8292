package jq

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

// If jq waited for the end of its input, this would hang.
func TestOutputDoesNotWaitForTheNextInput(t *testing.T) {
	for _, args := range [][]string{
		{"-c", "."}, {"-c", "--stream", "."}, {"-cn", "inputs"}, {"-R", "."}, {"-c", "--unbuffered", "."},
	} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			is := is.New(t)
			in, give := io.Pipe()
			take, out := io.Pipe()
			ended := make(chan int)
			go func() {
				ended <- Main(args, in, out, io.Discard, nil)
			}()
			lines := bufio.NewReader(take)
			for range 3 {
				_, err := io.WriteString(give, "[1]\n")
				is.NoErr(err) // it reads
				line, err := lines.ReadString('\n')
				is.NoErr(err)                        // it writes
				is.True(strings.Contains(line, "1")) // the output for this input
				if args[1] == "--stream" {
					_, err = lines.ReadString('\n') // after the end of the array
					is.NoErr(err)
				}
			}
			is.NoErr(give.Close())
			is.Equal(<-ended, 0) // the end of the input is no error
		})
	}
}

func TestUnreadableInputIsAnError(t *testing.T) {
	for option, want := range map[string]string{
		"-c":       "1\n2\n",
		"-R":       "\"1\"\n\"2\"\n",
		"--stream": "[\n  [],\n  1\n]\n[\n  [],\n  2\n]\n",
	} {
		t.Run(option, func(t *testing.T) {
			is := is.New(t)
			in := io.MultiReader(strings.NewReader("1\n2\n"), iotest.ErrReader(errors.New("broken")))
			var out, err bytes.Buffer
			code := Main([]string{option, "."}, iotest.DataErrReader(in), &out, &err, nil)
			is.Equal(out.String(), want)                                          // the readable inputs
			is.Equal(err.String(), "jq: error: Could not read <stdin>: broken\n") // the error
			is.Equal(code, exitUsage)                                             // as for a missing file
		})
	}
}

func TestAFailedWriteEndsTheRun(t *testing.T) {
	is := is.New(t)
	in, out := io.Pipe()
	is.NoErr(in.Close())
	var err bytes.Buffer
	code := Main([]string{"-n", `repeat("x" * 1000)`}, strings.NewReader(""), out, &err, nil)
	is.Equal(err.String(), "jq: error: writing output failed: io: read/write on closed pipe\n") // the error
	is.Equal(code, exitUsage)                                                                   // an error of the system
}

func TestRunTimeErrorsNameTheLine(t *testing.T) {
	is := is.New(t)
	_, err, code := run("1\n2\n\"x\"\n", "if type == \"string\" then error(\"bad\") else . end")
	is.Equal(err, "jq: error (at <stdin>:3): bad\n") // the third line
	is.Equal(code, exitFailed)                       // it was the last input
	_, err, _ = run("", "-n", "error({b: 1, a: 2})")
	is.Equal(err, "jq: error (at <unknown>) (not a string): {\"a\":2,\"b\":1}\n") // no line without input
}

func TestInvalidJSONIsReportedWithItsLine(t *testing.T) {
	for in, want := range map[string]string{
		"{\"a\":1}\n{\"b\":\n2,}\n":         "invalid character '}' looking for beginning of object key string at line 3",
		"1\n\n\n{\"b\":":                    "unexpected EOF at line 4",
		"[1,\n2]\n\"\x01\"":                 "invalid character '\\x01' in string literal at line 3",
		"1 ]":                               "invalid character ']' looking for beginning of value at line 1",
		strings.Repeat("{}\n", 99999) + "x": "invalid character 'x' looking for beginning of value at line 100000",
	} {
		is := is.New(t)
		_, err, code := run(in, "-c", ".")
		is.Equal(err, "jq: parse error: "+want+"\n")
		is.Equal(code, exitFailed)
	}
}

func TestEachInputHasItsLine(t *testing.T) {
	is := is.New(t)
	out, _, _ := run("1\n[2,\n3] 4\n\n5", "-c", "[., input_line_number]")
	is.Equal(out, "[1,1]\n[[2,3],3]\n[4,3]\n[5,4]\n") // a line counts when its newline is read
	out, _, _ = run(strings.Repeat("{}\n", 99999)+"7", "select(. == 7) | input_line_number")
	is.Equal(out, "99999\n") // also if the input is longer than the read buffer
}

func FuzzEvents(f *testing.F) {
	for _, r := range rows() {
		f.Add(r.in)
	}
	f.Fuzz(func(t *testing.T, in string) {
		if repeatsName(in) {
			return // jq, too, fails to put the events of both values together
		}
		want, _, code := run(in, "-c", ".")
		got, err, _ := run(in, "-nc", "--stream", "fromstream(inputs)")
		if code == 0 && got != want {
			t.Errorf("%q is %q, of its events %q: %s", in, want, got, err)
		}
	})
}

// repeatsName reports whether an object of a JSON text has two members of one name.
func repeatsName(text string) bool {
	d := json.NewDecoder(strings.NewReader(text))
	for {
		if _, err := d.ReadValue(); err != nil {
			return errors.Is(err, json.ErrDuplicateName)
		}
	}
}

func TestDebugAndStderrGoToTheErrors(t *testing.T) {
	is := is.New(t)
	out, err, _ := run(`{"b":1,"a":2}`, "-c", `debug | .b | debug("b is \(.)") | ("raw" | stderr) | "out"`)
	is.Equal(out, "\"out\"\n") // only the result
	is.Equal(err, "[\"DEBUG:\",{\"a\":2,\"b\":1}]\n[\"DEBUG:\",\"b is 1\"]\nraw")
}

func TestErrorsOfAFilterShowThePlace(t *testing.T) {
	for filter, want := range map[string]string{
		".a | foo":           "jq: error: function not defined: foo/0 at <top-level>:\n.a | foo\njq: 1 compile error\n",
		".a\n| .b &":         "jq: error: syntax error, unexpected token \"&\" at <top-level>, line 2, column 6:\n| .b &\n     ^\njq: 1 compile error\n",
		`import "x" as x; 1`: "jq: error: module not found: \"x\" at <top-level>:\nimport \"x\" as x; 1\njq: 1 compile error\n",
	} {
		t.Run(filter, func(t *testing.T) {
			is := is.New(t)
			_, err, code := run("", "-n", filter)
			is.Equal(err, want)         // the error and its line
			is.Equal(code, exitCompile) // no input was read
		})
	}
}
