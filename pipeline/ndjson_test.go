package pipeline_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// readAll reads lines until the end; a refused line reads as its reason.
func readAll(t *testing.T, s *pipeline.NDJSON) []string {
	var lines []string
	for {
		var line json.RawMessage
		err := s.ReadObject(&line)
		var refused *pipeline.LineError
		switch {
		case err == io.EOF:
			return lines
		case errors.As(err, &refused):
			lines = append(lines, "refused: "+string(refused.Line))
		case err != nil:
			t.Fatal(err)
		default:
			lines = append(lines, string(line))
		}
	}
}

func TestEveryLineIsHandedOverAsItIs(t *testing.T) {
	is := is.New(t)
	in := "one\n\n two \r\n\ufeffthree\nlast without newline"
	s := pipeline.NewNDJSON(strings.NewReader(in), nil, 0)
	is.Equal(readAll(t, s), []string{"one", "", " two \r", "\ufeffthree", "last without newline"})
}

func TestLinesSurviveAnyFragmentation(t *testing.T) {
	is := is.New(t)
	long := strings.Repeat("x", 200_000)
	in := "a\n" + long + "\n\nb\n"
	s := pipeline.NewNDJSON(iotest.OneByteReader(strings.NewReader(in)), nil, 1<<20)
	is.Equal(readAll(t, s), []string{"a", long, "", "b"})
}

func TestALineOfExactlyTheLimitPassesAndOneByteMoreDoesNot(t *testing.T) {
	for _, max := range []int{1, 10, 65_536, 65_537, 200_000} {
		is := is.New(t)
		fits := strings.Repeat("x", max)
		s := pipeline.NewNDJSON(strings.NewReader(fits+"\n"+fits+"y\nz\n"+fits+"y"), nil, max)
		got := readAll(t, s)
		is.Equal(len(got), 4)
		is.Equal(got[0], fits)                                        // fits
		is.True(strings.HasPrefix(got[1], "refused: xx") || max == 1) // reports how it began
		is.Equal(got[2], "z")                                         // the next line is untouched
		is.True(strings.HasPrefix(got[3], "refused: "))               // even without a newline
	}
}

func TestAnEndlessLineCostsNoMoreThanTheLimit(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: so many bytes take long under the race detector, which changes what they cost")
	}
	is := is.New(t)
	var before, after runtime.MemStats
	const max = 1 << 20
	s := pipeline.NewNDJSON(io.LimitReader(xs{}, 256<<20), nil, max)
	runtime.ReadMemStats(&before)
	var line json.RawMessage
	err := s.ReadObject(&line)
	runtime.ReadMemStats(&after)
	var refused *pipeline.LineError
	is.True(errors.As(err, &refused))                   // refused
	is.True(after.TotalAlloc-before.TotalAlloc < 3*max) // although 256 MiB were read
}

type xs struct{}

func (xs) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = 'x'
	}
	return len(b), nil
}

func TestOtherValuesAreDecodedAndEncoded(t *testing.T) {
	is := is.New(t)
	var out bytes.Buffer
	s := pipeline.NewNDJSON(strings.NewReader("\n{\"a\":1}\nnot json\n"), &out, 0)
	var v map[string]int
	is.NoErr(s.ReadObject(&v))
	is.Equal(v["a"], 1)
	is.True(s.ReadObject(&v) != nil) // not JSON
	is.NoErr(s.WriteObject(map[string]string{"b": "<&>"}))
	is.Equal(out.String(), "{\"b\":\"<&>\"}\n") // one line, without HTML escapes
}

func FuzzNDJSON(f *testing.F) {
	for _, line := range hostile() {
		f.Add([]byte(line+"\n"+line), 64)
	}
	f.Fuzz(func(t *testing.T, in []byte, max int) {
		if max < 1 {
			max = 1
		}
		s := pipeline.NewNDJSON(bytes.NewReader(in), nil, max)
		var got []string
		for _, line := range readAll(t, s) {
			if !strings.HasPrefix(line, "refused: ") && len(line) > max {
				t.Fatalf("a line of %d bytes passed a limit of %d", len(line), max)
			}
			got = append(got, line)
		}
		want := strings.Count(string(in), "\n")
		if len(in) > 0 && in[len(in)-1] != '\n' {
			want++
		}
		if len(got) != want {
			t.Fatalf("%d lines of %d", len(got), want)
		}
	})
}
