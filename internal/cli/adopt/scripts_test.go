package adopt_test

import (
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/adopt"
	"github.com/mcp-bash/mcp-bash/v2/internal/madetest"
)

func TestScriptsInTheStylesThatPeopleHaveAreRead(t *testing.T) {
	const file = "testdata/scripts.txtar"
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	again := &txtar.Archive{Comment: archive.Comment}
	for _, f := range archive.Files {
		if strings.HasSuffix(f.Name, ".read") {
			continue
		}
		r := adopt.Read(f.Name, f.Data)
		got := strings.TrimSpace(r.Description+"\n"+told(r)+r.Idle) + "\n"
		again.Files = append(again.Files, f, txtar.File{Name: f.Name + ".read", Data: []byte(got)})
		t.Run(f.Name, func(t *testing.T) { checkDraft(t, adopt.NewDraft(r)) })
	}
	madetest.File(t, file, string(txtar.Format(again)))
}
