package windows

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/pipeline/pipetest"
)

// programs are the files of the project that are executables.
var programs = map[string]string{"tools/mirror/tool.exe": "", "resources/user.exe": ""}

// Conversations are in the folder replay/ of the project, in the format of [pipetest.Replay], but with
// the line ends of Windows.
func TestRecordedConversationsWithCRLF(t *testing.T) {
	conversations, err := filepath.Glob("testdata/project/replay/*.client.ndjson")
	if err != nil || len(conversations) == 0 {
		t.Fatalf("no conversations (%v)", err)
	}
	for _, path := range conversations {
		name := strings.TrimSuffix(path, ".client.ndjson")
		t.Run(filepath.Base(name), func(t *testing.T) {
			is := is.New(t)
			said, err := os.ReadFile(path)
			is.NoErr(err)
			is.Equal(strings.Count(string(said), "\n"), strings.Count(string(said), "\r\n")) // as Windows writes them
			root := project(t, programs)
			s := serve(t, root, roleVariable+"=mirror")
			s.end = "\r\n"
			var got []string
			for _, block := range pipetest.Blocks(strings.ReplaceAll(string(said), "\r\n", "\n")) {
				got = append(got, strings.ReplaceAll(s.exchange(block), strings.ReplaceAll(root, `\`, `\\`), "PROJECT"))
			}
			s.close()
			pipetest.Compare(t, name+".server.ndjson", got)
		})
	}
}

// exchange sends a block and returns the answers to its calls, in the order of their ids.
func (s *server) exchange(block []string) string {
	s.t.Helper()
	wanted := make(map[string]string)
	var ids []string
	for _, line := range block {
		s.send(line)
		if id := idOf(line); id != "" {
			ids = append(ids, id)
		}
	}
	for len(wanted) < len(ids) {
		line, ok := s.recv()
		if !ok {
			s.t.Fatalf("the server has ended with %d of %d answers", len(wanted), len(ids))
		}
		wanted[idOf(line)] = line
	}
	var b strings.Builder
	for _, id := range ids {
		b.WriteString(wanted[id])
	}
	return b.String()
}

// idOf returns the id of a line; empty for a notification.
func idOf(line string) string {
	var m struct{ ID json.RawMessage }
	if json.Unmarshal([]byte(line), &m) != nil {
		return ""
	}
	return string(m.ID)
}
