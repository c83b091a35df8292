package schema_test

import (
	"encoding/json"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/google/jsonschema-go/jsonschema" // for the JSON-Schema-Test-Suite in its module
	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/schema"
)

// suite is the folder of the JSON-Schema-Test-Suite.
func suite(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/google/jsonschema-go").Output()
	if err != nil {
		t.Fatalf("cannot find the module with the suite: %v", err)
	}
	return filepath.Join(strings.TrimSpace(string(out)), "jsonschema", "testdata")
}

// remotes returns the documents of the suite at the addresses that its schemas use.
func remotes(suite, dialect string) func(string) ([]byte, bool) {
	return func(address string) ([]byte, bool) {
		u, err := url.Parse(address)
		if err != nil || u.Host != "localhost:1234" {
			return nil, false
		}
		text, err := os.ReadFile(filepath.Join(suite, "remotes", filepath.FromSlash(u.Path)))
		return withDialect(text, dialect), err == nil
	}
}

func TestTheRequiredTestsOfTheSuitePass(t *testing.T) {
	dir := suite(t)
	for _, draft := range []struct {
		name, dialect string
		groups, tests int // at least so many
	}{
		{"draft7", "http://json-schema.org/draft-07/schema#", 254, 913},
		{"draft2020-12", "https://json-schema.org/draft/2020-12/schema", 342, 1099},
	} {
		t.Run(draft.name, func(t *testing.T) {
			is := is.New(t)
			files, err := filepath.Glob(filepath.Join(dir, draft.name, "*.json"))
			is.NoErr(err)
			groups, tests := 0, 0
			for _, file := range files {
				text, err := os.ReadFile(file)
				is.NoErr(err)
				var all []struct {
					Description string
					Schema      json.RawMessage
					Tests       []struct {
						Description string
						Data        json.RawMessage
						Valid       bool
					}
				}
				is.NoErr(json.Unmarshal(text, &all))
				for _, group := range all {
					groups++
					s, err := schema.CompileWith(withDialect(group.Schema, draft.dialect), remotes(dir, draft.dialect))
					if err != nil {
						t.Errorf("%s: %s: %v", filepath.Base(file), group.Description, err)
						continue
					}
					for _, test := range group.Tests {
						tests++
						faults, err := s.Validate(t.Context(), test.Data)
						if err != nil || (len(faults) == 0) != test.Valid {
							t.Errorf("%s: %s: %s: got %v, %v, want valid %v", filepath.Base(file), group.Description, test.Description, faults, err, test.Valid)
						}
					}
				}
			}
			t.Logf("%d groups, %d tests", groups, tests)
			is.True(groups >= draft.groups) // all groups ran
			is.True(tests >= draft.tests)   // all tests ran
		})
	}
}

// withDialect adds $schema to a schema without it.
func withDialect(raw json.RawMessage, dialect string) []byte {
	var object map[string]json.RawMessage
	if json.Unmarshal(raw, &object) != nil || object["$schema"] != nil {
		return raw
	}
	object["$schema"], _ = json.Marshal(dialect)
	text, _ := json.Marshal(object)
	return text
}
