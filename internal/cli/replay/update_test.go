package replay_test

import (
	"os"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/replay"
)

func TestARecordingIsUpdatedOnlyWithTheOutputOfAServerThatWorks(t *testing.T) {
	const (
		asked    = `{"way":"in","message":{"id":1,"method":"ping"}}` + "\n"
		answered = `{"way":"out","message":{"id":1,"result":{}}}` + "\n"
		batch    = `{"way":"in","message":[{"id":1,"method":"ping"},{"id":"2","method":"ping"}]}
{"way":"out","message":[{"id":1,"result":{}},{"id":"2","result":{}}]}
`
		cancelled = `{"way":"in","message":{"method":"notifications/cancelled","params":{"requestId":1}}}` + "\n"
		sessions  = `{"session":"a","way":"start","message":{}}
{"session":"a","way":"in","message":{"id":1,"method":"ping"}}
{"session":"a","way":"out","message":{"id":1,"result":{}}}
{"session":"b","way":"start","message":{}}
{"session":"b","way":"in","message":{"id":1,"method":"ping"}}
`
		response = `{"id":1,"result":{"new":true}}`
		lost     = "not updated: no response to ping (id 1), which the recording has"
	)
	for name, c := range map[string]struct {
		recording string
		written   [][]string // by session
		want      string     // the error
	}{
		"another response":                    {asked + answered, [][]string{{response}}, ""},
		"a response in a batch":               {asked + answered, [][]string{{"[" + response + "]"}}, ""},
		"none":                                {asked + answered, [][]string{nil}, lost},
		"to another request":                  {asked + answered, [][]string{{`{"id":"1","result":{}}`}}, lost},
		"a request with the same id":          {asked + answered, [][]string{{`{"id":1,"method":"roots/list"}`}}, lost},
		"one of a batch":                      {batch, [][]string{{response}}, `not updated: no response to ping (id "2"), which the recording has`},
		"a new recording":                     {asked, [][]string{{response}}, ""},
		"a new recording without a response":  {asked, [][]string{nil}, "not updated: no response to any request"},
		"a cancelled call":                    {asked + cancelled, [][]string{nil}, ""},
		"a call that was answered before":     {asked + answered + cancelled, [][]string{nil}, ""},
		"a session that never got a response": {sessions, [][]string{{response}, nil}, ""},
		"the other session":                   {sessions, [][]string{nil, {response}}, "not updated: no response to ping (id 1) in session 1, which the recording has"},
		"a text":                              {asked + answered, [][]string{{response, "garbage"}}, `not updated: the server wrote "garbage", which is not a message`},
		"a number":                            {asked + answered, [][]string{{"3", response}}, `not updated: the server wrote "3", which is not a message`},
	} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			path := write(t, "x.ndjson", c.recording)
			f, err := replay.Read(path)
			is.NoErr(err)
			var outcomes []*replay.Outcome
			for _, lines := range c.written {
				outcomes = append(outcomes, &replay.Outcome{Written: [][]string{lines}})
			}
			got := ""
			if err := f.Update(outcomes); err != nil {
				got = err.Error()
			}
			is.Equal(got, c.want)
			text, err := os.ReadFile(path)
			is.NoErr(err)
			is.Equal(string(text) == c.recording, c.want != "") // it changes, or it does not
		})
	}
}
