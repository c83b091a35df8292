package adopt_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/matryer/is"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/adopt"
)

var update = flag.Bool("update", false, "write what is understood of the scripts in testdata")

func TestScriptsInTheStylesThatPeopleHaveAreRead(t *testing.T) {
	const file = "testdata/scripts.txtar"
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	wants := make(map[string]string)
	for _, f := range archive.Files {
		wants[f.Name] = string(f.Data)
	}
	again := &txtar.Archive{Comment: archive.Comment}
	for _, f := range archive.Files {
		if strings.HasSuffix(f.Name, ".read") {
			continue
		}
		r := adopt.Read(f.Name, f.Data)
		got := strings.TrimSpace(r.Description+"\n"+told(r)+r.Idle) + "\n"
		again.Files = append(again.Files, f, txtar.File{Name: f.Name + ".read", Data: []byte(got)})
		t.Run(f.Name, func(t *testing.T) {
			is := is.New(t)
			checkDraft(t, adopt.NewDraft(r))
			if !*update {
				is.Equal(got, wants[f.Name+".read"])
			}
		})
	}
	if *update {
		if err := os.WriteFile(file, txtar.Format(again), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
