package explain_test

import (
	"bytes"
	_ "embed"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/explain"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/trace"
)

// recorded is a session with a call that fails, a batch, a cancelled call, a question to the client, and one that is
// never answered; its steps are those of --record-steps.
//
//go:embed testdata/session.rec.ndjson
var recorded string

func read(t *testing.T, recording, session string) *explain.Report {
	t.Helper()
	path := filepath.Join(t.TempDir(), "session.rec")
	is := is.New(t)
	is.NoErr(os.WriteFile(path, []byte(recording), 0o600))
	r, err := explain.Read(path, session)
	is.NoErr(err)
	r.File = "session.rec"
	return r
}

func TestWhatFailedComesFirstThenTheSlowest(t *testing.T) {
	is := is.New(t)
	var out bytes.Buffer
	read(t, recorded, "").Table(console.New(&out, false))
	is.Equal(out.String(), strings.TrimPrefix(`
session.rec: 1 session, 15 messages, 7 calls; 3 failed or never answered
  id  call                outcome         took    why
  b   nope                refused         1.10 s  Method not found: nope
  2   tools/call price    failed 7        500 ms  no such item
  5   tools/call slow     never answered          
  3   tools/call ask      ok              1.10 s  
  ?1  elicitation/create  ok              900 ms  
  1   initialize          ok              1.0 ms  
  4   tools/call slow     cancelled               
`, "\n"))
}

// lives returns the text for a call, without its messages as a whole.
func lives(t *testing.T, r *explain.Report, id string) string {
	t.Helper()
	is := is.New(t)
	var out bytes.Buffer
	for _, m := range r.Find(id) {
		is.NoErr(r.Life(&out, trace.Options{}, m))
	}
	life, _, _ := strings.Cut(out.String(), "\n\n")
	return life
}

func TestTheLifeOfAMessageIsToldFromItsRecording(t *testing.T) {
	is := is.New(t)
	r := read(t, recorded, "")
	is.Equal(lives(t, r, "2"), strings.TrimPrefix(`
message 3 of 15, 2026-01-02T12:00:01Z, line 2 of the client
12:00:01.000 → 2   tools/call price {"item":"coffee"}
12:00:01.001   2   upper changed {"op":"add","path":"/params/loud","value":true}
12:00:01.004   2   handler pid 4711 · script tool.sh
12:00:01.500 ← 2   failed exit 7 500 ms "no such item"`, "\n"))
	is.Equal(lives(t, r, "3"), strings.TrimPrefix(`
message 5 of 15, 2026-01-02T12:00:02Z, line 3 of the client
12:00:02.000 → 3   tools/call ask
12:00:02.100 ← ?1  elicitation/create {"message":"Who?"} for 3
12:00:03.000 → ?1  ok 900 ms {"action":"accept"}, the answer to elicitation/create for 3
12:00:03.100 ← 3   ok 1.10 s {"content":[]}`, "\n"))
	is.Equal(lives(t, r, "4"), strings.TrimPrefix(`
message 11 of 15, 2026-01-02T12:00:04Z, line 5 of the client
12:00:04.000 → 4   tools/call slow
12:00:05.000 → ·   notifications/cancelled {"requestId":4}
12:00:05.001   ·   cancel ended call 4
12:00:05.001 ← 4   not sent: cancel has dropped the answer, 1.00 s`, "\n"))
	is.Equal(lives(t, r, "8"), strings.TrimPrefix(`
message 15 of 15, 2026-01-02T12:00:07Z, line 8 of the client
12:00:07.000 → 5   tools/call slow
12:00:07.000   5   never over, 0.0 ms`, "\n"))
}

func TestTheMessagesOfALifeAreShownAsAWhole(t *testing.T) {
	is := is.New(t)
	r := read(t, recorded, "")
	var out bytes.Buffer
	is.NoErr(r.Life(&out, trace.Options{}, r.Find("2")[0]))
	for _, want := range []string{
		"\nwhat came\n{\n", `"item": "coffee"`, "\nwhat left\n{\n", "\nstderr\nlooking\nno such item\n",
		"\nthe client's next message: tools/call ask, id 3, 500 ms later\n"} {
		is.True(strings.Contains(out.String(), want))
	}
}

// withoutSteps are recordings of older versions: no steps, sessions or lines.
func withoutSteps() string {
	var b strings.Builder
	for line := range strings.Lines(recorded) {
		if strings.Contains(line, `"way":"step"`) {
			continue
		}
		line = strings.Replace(line, `"session":"S",`, "", 1)
		if at := strings.Index(line, `"line":`); at > 0 {
			line = line[:at] + line[strings.Index(line, `"message"`):]
		}
		b.WriteString(line)
	}
	return b.String()
}

func TestOlderRecordingsAreExplainedAsFarAsTheyGo(t *testing.T) {
	is := is.New(t)
	r := read(t, withoutSteps(), "")
	is.Equal(lives(t, r, "2"), strings.TrimPrefix(`
message 3 of 15, 2026-01-02T12:00:01Z
12:00:01.000 → 2   tools/call price {"item":"coffee"}
12:00:01.500 ← 2   failed exit 7 500 ms "no such item"`, "\n"))
	is.Equal(r.Sessions[0].Client, "demo 1")
}

func TestARecordingThatWasCutOffIsExplainedUpToThere(t *testing.T) {
	is := is.New(t)
	is.Equal(len(read(t, recorded[:len(recorded)-20], "").Messages), 14)
}

func TestOneOfSeveralSessionsIsPickedByItsNameOrNumber(t *testing.T) {
	is := is.New(t)
	both := recorded + strings.ReplaceAll(recorded, `"session":"S"`, `"session":"T"`)
	is.Equal(len(read(t, both, "").Find("2")), 2)
	for _, session := range []string{"T", "2"} {
		r := read(t, both, session)
		is.Equal(len(r.Messages), 15)
		is.Equal(r.Messages[0].Session, 2)
	}
	path := filepath.Join(t.TempDir(), "both.rec")
	is.NoErr(os.WriteFile(path, []byte(both), 0o600))
	_, err := explain.Read(path, "U")
	is.Equal(err.Error(), path+": no session is U; it has 2 sessions, numbered from 1")
}

func TestWhatWasRenamedWhenTheFileWasFullIsReadFirst(t *testing.T) {
	is := is.New(t)
	lines := strings.SplitAfter(recorded, "\n")
	path := filepath.Join(t.TempDir(), "session.rec")
	is.NoErr(os.WriteFile(path+".1", []byte(strings.Join(lines[:4], "")), 0o600))
	is.NoErr(os.WriteFile(path, []byte(strings.Join(lines[4:], "")), 0o600))
	r, err := explain.Read(path, "")
	is.NoErr(err)
	is.Equal(r.Messages[2].Outcome, "failed") // begun in one, answered in the other
	is.Equal(r.Sessions[0].Project, "/srv/shop")
}

func TestAPageIsSmallAndHasNoMarkupOfWhatWasRecorded(t *testing.T) {
	is := is.New(t)
	hostile := strings.ReplaceAll(recorded, "no such item", "</script><script>alert(1)</script>{{script}}")
	page, err := read(t, hostile, "").Page()
	is.NoErr(err)
	is.True(len(page) < 300<<10)
	is.Equal(strings.Count(string(page), "</script>"), 2)
	is.Equal(strings.Count(string(page), `"use strict"`), 1) // nor is it part of the template
	is.True(strings.Contains(string(page),
		`content="default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'sha256-`))
}
