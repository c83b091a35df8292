package serving_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/serving"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

const half = 600 << 10 // bytes: more than half of the limit of these tests

// sizes returns how long the file and the one before it are.
func sizes(t *testing.T, path string) (now, before int64) {
	t.Helper()
	is := is.New(t)
	info, err := os.Stat(path)
	is.NoErr(err)
	older, err := os.Stat(path + ".1")
	is.NoErr(err)
	return info.Size(), older.Size()
}

func TestARecordingIsNeverLongerThanTwiceItsLimit(t *testing.T) {
	is := is.New(t)
	path := filepath.Join(t.TempDir(), "session.rec")
	w, _, done, err := serving.Recorder{File: path, MaxMB: 1}.Open(nil, nil)
	is.NoErr(err)
	other, _, otherDone, err := serving.Recorder{File: path, MaxMB: 1}.Open(nil, nil) // another server's
	is.NoErr(err)
	for _, line := range []string{"a", "b", "c"} {
		_, err := w.Write([]byte(strings.Repeat(line, half)))
		is.NoErr(err)
	}
	now, before := sizes(t, path)
	is.Equal([]int64{now, before}, []int64{half, half}) // the first is gone
	for range 2 {                                       // it writes to the first, and then where the others do
		_, err = other.Write([]byte(strings.Repeat("d", half)))
		is.NoErr(err)
	}
	now, before = sizes(t, path)
	is.Equal([]int64{now, before}, []int64{2 * half, half})
	is.NoErr(done())
	is.NoErr(otherDone())
}

func TestEachStepThatSaysSomethingIsRecorded(t *testing.T) {
	is := is.New(t)
	path := filepath.Join(t.TempDir(), "session.rec")
	passed := 0
	next := func(pipeline.Step) { passed++ }
	_, tracer, done, err := serving.Recorder{File: path, Steps: true}.Open([]string{"hush"}, next)
	is.NoErr(err)
	m := pipeline.Parse([]byte(`{"jsonrpc":"2.0","id":1,"method":"a"}`))
	for _, s := range []pipeline.Step{
		{Stage: "handler", Verdict: pipeline.VerdictEntered},
		{Stage: "token", Verdict: pipeline.VerdictPassed},
		{Stage: "choosy", Verdict: pipeline.VerdictRefused, Reason: "hush!"},
		{Stage: "chain", Verdict: pipeline.VerdictDone},
		{Stage: "chain", Verdict: pipeline.VerdictDone, Unanswered: true},
	} {
		s.Session, s.Line, s.Message = "S", 3, m
		tracer(s)
	}
	is.NoErr(done())
	is.Equal(passed, 5)
	text, err := os.ReadFile(path)
	is.NoErr(err)
	const step = `{"session":"S","time":"0001-01-01T00:00:00Z","way":"step","line":3,"direction":"in","kind":"call","method":"a","id":"1",`
	is.Equal(string(text), step+`"stage":"choosy","verdict":"refused","reason":"[redacted]!","micros":0}`+"\n"+
		step+`"stage":"chain","verdict":"done","micros":0}`+"\n")
}
