package scaffold_test

import (
	"encoding/json"
	"errors"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/scaffold"
)

// fork makes what FindCheckout looks for.
func fork(t *testing.T, module string) string {
	t.Helper()
	root := t.TempDir()
	for path, text := range map[string]string{
		"go.mod":             "module " + module + "\n",
		"docs/MIDDLEWARE.md": "# Stages",
		"pipeline/x.go":      "package pipeline\n",
		"middleware/x.go":    "package middleware\n",
	} {
		at := filepath.Join(root, filepath.FromSlash(path))
		if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.WriteFile(at, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestACheckoutIsFoundFromAnywhereInIt(t *testing.T) {
	is := is.New(t)
	root := fork(t, `"example.com/fork" // ours`)
	deep := filepath.Join(root, "examples", "mine")
	is.NoErr(os.MkdirAll(deep, 0o755))
	is.NoErr(os.WriteFile(filepath.Join(root, "examples", "go.mod"), []byte("module other\n"), 0o644)) // a module without stages
	c, err := scaffold.FindCheckout(deep)
	is.NoErr(err)
	is.Equal(c, scaffold.Checkout{Root: root, Module: "example.com/fork"})

	_, err = scaffold.FindCheckout(t.TempDir())
	is.True(errors.Is(err, scaffold.ErrNoCheckout))
}

func TestAStageIsFormattedWhateverItAndTheModuleAreCalled(t *testing.T) {
	for _, module := range []string{"a", "github.com/mcp-bash/mcp-bash/v2", "zz.example/x"} {
		for _, name := range []string{"y", "audit", "SlowCalls", "slow-calls-of-every-kind-that-there-is"} {
			is := is.New(t)
			root := fork(t, module)
			c, err := scaffold.FindCheckout(root)
			is.NoErr(err)
			report := write(t, root)(c.Stage(name))
			is.Equal(len(report.Created), 2)
			is.Equal(report.Changed[0], "docs/MIDDLEWARE.md")
			for _, path := range report.Created {
				text, err := os.ReadFile(filepath.Join(root, path))
				is.NoErr(err)
				formatted, err := format.Source(text)
				is.NoErr(err)
				is.Equal(string(formatted), string(text)) // as gofmt would have it
			}
			manual, err := os.ReadFile(filepath.Join(root, "docs", "MIDDLEWARE.md"))
			is.NoErr(err)
			stage := strings.ToLower(strings.ReplaceAll(name, "-", ""))
			is.True(strings.HasPrefix(string(manual), "# Stages\n\n### "+stage+"\n\n")) // on a line of its own
		}
	}
}

func TestAStageTakesNoNameThatIsInUse(t *testing.T) {
	is := is.New(t)
	root := fork(t, "example.com/fork")
	c, err := scaffold.FindCheckout(root)
	is.NoErr(err)
	_, err = c.Stage("x")
	is.True(errors.Is(err, scaffold.ErrTaken))
	_, err = c.Stage("free")
	is.NoErr(err)
	for _, name := range []string{"", "1x", "a b", "a_b", "a.b", "../x", "-x", "x-", "con", strings.Repeat("x", 65)} {
		_, err := c.Stage(name)
		if !errors.Is(err, scaffold.ErrName) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// The stage is laid over this module, as if its files were there, and tested.
func TestAStageBuildsPassesItsTestAndTheVet(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: building and testing the stage with the go command takes half a minute")
	}
	is := is.New(t)
	c, err := scaffold.FindCheckout(".")
	is.NoErr(err)
	plan, err := c.Stage("quarantine")
	is.NoErr(err)
	dir := t.TempDir()
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	for _, f := range plan.Files {
		path := filepath.Join(dir, filepath.Base(f.Path))
		is.NoErr(os.WriteFile(path, []byte(f.Text), 0o644))
		if !f.Append {
			overlay.Replace[filepath.Join(c.Root, filepath.FromSlash(f.Path))] = path
		}
	}
	is.Equal(len(overlay.Replace), 2)
	text, err := json.Marshal(overlay)
	is.NoErr(err)
	replaced := filepath.Join(dir, "overlay.json")
	is.NoErr(os.WriteFile(replaced, text, 0o644))

	run := func(args ...string) (string, error) {
		command := exec.CommandContext(t.Context(), "go", args...)
		command.Dir = c.Root
		out, err := command.CombinedOutput()
		return string(out), err
	}
	out, err := run("test", "-vet=all", "-v", "-overlay", replaced, "-run", "Quarantine", "./middleware")
	for _, want := range []string{"--- PASS: ExampleQuarantine", "--- PASS: TestQuarantineRefusesCallsOfTheMethodsThatItIsGiven"} {
		if !strings.Contains(out, want) {
			t.Fatalf("no %q: %v\n%s", want, err, out)
		}
	}
	is.NoErr(err) // nor has go vet anything to say
}
