package adopt

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/scaffold"
	"github.com/mcp-bash/mcp-bash/v2/internal/files"
	"github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/internal/lazyregexp"
)

// ScriptBytes is the maximum size of a script.
const ScriptBytes = 1 << 20

// A Source is a script or a program that becomes a tool.
type Source struct {
	Path  string // of a script, absolute; empty for a program
	Text  []byte // of a script
	Name  string // of a program
	Draft *Draft

	Command string // the subcommand of the program that the tool is; empty for all of it

	Reading             // of it
	InPlace  bool       // the tool runs the script where it is, and not a copy
	RunHelp  bool       // what it prints when it is asked for help was read, too
	program  string     // its path
	original json.Value // the metadata as it was first drafted, before its user has answered any question
}

// Plan lists the files of the tool in the project at root. A script is copied into a new folder, unless the
// tool runs it where it is; one below tools/ gets its metadata beside it. The error is that the name is
// invalid or taken.
func (s *Source) Plan(root, name string) (scaffold.Plan, error) {
	s.draft(root)
	text := string(s.Draft.Metadata())
	if inside, ok := s.inTools(root); ok {
		return s.beside(root, inside, text)
	}
	if s.Path == "" || s.InPlace {
		const metadata = "tool.meta.json"
		return scaffold.Adopted(root, name, s.record(root, metadata), scaffold.File{Path: metadata, Text: text})
	}
	ending := strings.ToLower(filepath.Ext(s.Path))
	if strings.Trim(ending, ".abcdefghijklmnopqrstuvwxyz0123456789") != "" {
		ending = ""
	}
	return scaffold.Adopted(root, name, s.record(root, name+".meta.json"),
		scaffold.File{Path: name + ending, Text: string(s.Text), Executable: true},
		scaffold.File{Path: name + ".meta.json", Text: text})
}

// draft drafts the tool, as it is in the project at root.
func (s *Source) draft(root string) {
	_, beside := s.inTools(root)
	s.InPlace = s.InPlace || beside
	s.Draft = NewDraft(s.Reading)
	s.startsIn(root)
	if s.Draft.open {
		s.doubt(0, "what it takes is not understood, so the tool passes on any words: say in args which they are")
	}
	if s.Draft.Description == "" {
		s.Draft.Description = "Runs " + s.title()
	}
	if !beside && (s.Path == "" || s.InPlace) {
		if s.Draft.Program = []string{s.firstWord(root)}; s.Command != "" {
			s.Draft.Program = append(s.Draft.Program, s.Command)
		}
	}
	if s.original == nil {
		s.original = s.Draft.Metadata()
	}
}

// title returns what the source is called.
func (s *Source) title() string {
	if s.Path != "" {
		return filepath.Base(s.Path)
	}
	return strings.TrimSpace(s.Name + " " + s.Command)
}

// inTools returns the path, relative to root, of a script that is already in tools/.
func (s *Source) inTools(root string) (inside string, ok bool) {
	if s.Path == "" {
		return "", false
	}
	inside, ok = within(filepath.Join(root, "tools"), s.Path)
	return path.Join("tools", inside), ok
}

// Suggested returns a name for the tool.
func (s *Source) Suggested() string {
	name := s.Name
	if s.Path != "" {
		base := filepath.Base(s.Path)
		name = strings.TrimSuffix(base, filepath.Ext(base))
	}
	return scaffold.NameOf(strings.TrimSuffix(name+"-"+s.Command, "-"))
}

// firstWord returns the first word of argv.
func (s *Source) firstWord(root string) string {
	if s.Path == "" {
		return s.Name
	}
	if inside, ok := within(root, s.Path); ok {
		if !strings.Contains(inside, "/") {
			return "./" + inside
		}
		return inside
	}
	return filepath.ToSlash(s.Path)
}

// beside plans the metadata of a script that is already in tools/.
func (s *Source) beside(root, at, text string) (scaffold.Plan, error) {
	stem := strings.TrimSuffix(at, path.Ext(at))
	for _, owner := range []string{stem, at} {
		for _, ending := range []string{".meta.json", ".meta.yaml", ".meta.yml"} {
			if _, err := os.Lstat(filepath.Join(root, filepath.FromSlash(owner+ending))); !errors.Is(err, fs.ErrNotExist) {
				return scaffold.Plan{}, fmt.Errorf("%s has metadata: %s%s %w", at, owner, ending, scaffold.ErrTaken)
			}
		}
	}
	metadata := stem + ".meta.json"
	return scaffold.Plan{Files: []scaffold.File{s.record(root, metadata), {Path: metadata, Text: text}}}, nil
}

// within returns the path of a file relative to a folder that contains it, with slashes.
func within(folder, file string) (string, bool) {
	inside, ok := files.Inside(folder, file)
	if !ok {
		from, err := filepath.EvalSymlinks(folder)
		to, fault := filepath.EvalSymlinks(file)
		if inside, ok = files.Inside(from, to); err != nil || fault != nil {
			return "", false
		}
	}
	return filepath.ToSlash(inside), ok && inside != "."
}

// A Found is a file of a folder, and why it is left out if the folder is adopted; empty if it is not.
type Found struct{ Path, Why string }

// Folder returns the files in a folder, and in its folders scripts and bin, but for hidden ones: paths relative to
// the folder, with slashes.
func Folder(folder string) (all []Found) {
	for _, dir := range []string{".", "scripts", "bin"} {
		entries, err := os.ReadDir(filepath.Join(folder, dir))
		if err != nil {
			continue
		}
		for _, e := range entries {
			file := filepath.Join(folder, dir, e.Name())
			if info, err := os.Stat(file); strings.HasPrefix(e.Name(), ".") || err == nil && info.IsDir() {
				continue
			}
			why := ""
			if target, err := os.Readlink(file); err == nil && filepath.Base(target) == filepath.Clean(target) {
				why = "is a link to " + target
			}
			all = append(all, Found{path.Join(dir, e.Name()), cmp.Or(why, leftOut(file))})
		}
	}
	return all
}

// leftOut says why a file is not a readable script that is meant to be started; it is empty for one that is.
func leftOut(file string) string {
	name := filepath.Base(file)
	stem := strings.TrimSuffix(name, filepath.Ext(name))
	if helps.Get().MatchString(stem) || strings.HasSuffix(name, ".bats") {
		return "is for building or testing, by its name"
	}
	text, _, why := load(file)
	switch kind := language(file, text); {
	case why != "":
		return why
	case kind == "":
		return "is in a language that adopt does not know; adopt it by its own name"
	case kind != "shell" && !strings.HasPrefix(string(text), "#!") && !strings.Contains(string(text), "__main__"):
		return "is a module for other scripts: it has no #! line"
	}
	return ""
}

// helps matches the names of scripts that are for building and testing.
var helps = lazyregexp.New(`^(?:test_.*|.*_test|configure|install|uninstall|setup|conftest|tests?|build|activate)$`)

// Complete adds what a program's help lists where the reading has found nothing.
func (r *Reading) Complete(help Reading) {
	if len(r.Options) == 0 && len(r.Positions) == 0 {
		r.Options, r.Positions, r.Dashes = help.Options, help.Positions, help.Dashes
		r.Known = r.Known || help.Known
	}
	if r.Description == "" {
		r.Description = help.Description
	}
	r.Doubts = append(r.Doubts, help.Doubts...)
	for _, described := range help.Options {
		if o := r.find(described.Short, described.Long); o != nil {
			o.explain(described)
		}
	}
	for i := range min(len(r.Positions), len(help.Positions)) {
		r.Positions[i].rename(help.Positions[i].Name)
	}
}
