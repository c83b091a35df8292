package scaffold

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
	"github.com/mcp-bash/mcp-bash/v2/internal/files"
	"github.com/mcp-bash/mcp-bash/v2/internal/lazyregexp"
)

// ErrNoCheckout is returned by FindCheckout if no source of mcp-bash is found.
var ErrNoCheckout = console.Usagef("no checkout of mcp-bash found")

// A Checkout is the source of mcp-bash, or of a fork.
type Checkout struct {
	Root   string // absolute
	Module string // as go.mod says
}

var moduleLine = lazyregexp.New(`(?m)^module\s+"?([^\s"]+)`)

// FindCheckout finds the nearest Go module from dir upwards that has stages: the
// folders middleware/ and pipeline/, and docs/MIDDLEWARE.md.
func FindCheckout(dir string) (Checkout, error) {
	start, err := filepath.Abs(dir)
	if err != nil {
		return Checkout{}, err
	}
	for at := start; ; at = filepath.Dir(at) {
		text, err := files.Read(filepath.Join(at, "go.mod"), sourceBytes)
		if module := moduleLine.Get().FindSubmatch(text); err == nil && module != nil && hasStages(at) {
			return Checkout{at, string(module[1])}, nil
		}
		if at == filepath.Dir(at) {
			return Checkout{}, fmt.Errorf("%w: neither %s nor a folder above it has go.mod, middleware/, pipeline/ and %s; "+
				"stages are compiled into the program, so clone its source and cd there", ErrNoCheckout, start, manual)
		}
	}
}

// manual is the page with a section for each stage.
const manual = "docs/MIDDLEWARE.md"

func hasStages(root string) bool {
	for _, path := range []string{"middleware", "pipeline", manual} {
		if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(path))); err != nil {
			return false
		}
	}
	return true
}

var goodStage = lazyregexp.New(`^[A-Za-z][A-Za-z0-9]*(-[A-Za-z0-9]+)*$`)

// Stage plans a stage of the chain, its test with an Example, and its section in
// the manual. A name of several words, as in slow-calls, results in a file
// slowcalls.go with a constructor SlowCalls.
func (c Checkout) Stage(name string) (Plan, error) {
	if !goodStage.Get().MatchString(name) || len(name) > 64 {
		return Plan{}, fmt.Errorf("name %q %w: write letters and digits, and - between words", name, ErrName)
	}
	constructor := strings.ReplaceAll(title(name), " ", "")
	stage := strings.ToLower(constructor)
	if err := CheckName(stage); err != nil {
		return Plan{}, err
	}
	if err := c.free(stage); err != nil {
		return Plan{}, err
	}
	p, err := plan("middleware/"+stage, values{"Stage": stage, "Constructor": constructor, "Module": c.Module},
		part{".go", "middleware/stage.go"},
		part{"_test.go", "middleware/stage_test.go"})
	if err != nil {
		return Plan{}, err
	}
	section := Plan{}
	if err := section.add(manual, "middleware/section.md", values{"Stage": stage}); err != nil {
		return Plan{}, err
	}
	section.Files[0].Append = true
	p.Files = append(p.Files, section.Files...)
	p.Note = `add this line to server/chain.go, below the list, in front of "workers" unless you know a better place:` +
		"\n\tstages = pipeline.Before(stages, \"workers\", middleware." + constructor + "())"
	p.Next = [][]string{{"cd", "."}, {"go", "test", ".", "./middleware"}, {"go", "run", "./cmd/mcp-bash", "chain"}}
	return p, nil
}

// free returns an error if a stage would conflict with an existing file or section.
func (c Checkout) free(stage string) error {
	if err := free(c.Root, "middleware", stage); err != nil {
		return err
	}
	if err := free(c.Root, "middleware", stage+"_test"); err != nil {
		return err
	}
	text, err := files.Read(filepath.Join(c.Root, filepath.FromSlash(manual)), sourceBytes)
	if err != nil {
		return err
	}
	if strings.Contains("\n"+strings.ReplaceAll(string(text), "\r\n", "\n")+"\n", "\n### "+stage+"\n") {
		return fmt.Errorf("section %q of %s %w; choose another name", "### "+stage, manual, ErrTaken)
	}
	return nil
}
