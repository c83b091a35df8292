// Package project finds what a project folder offers, and keeps up with it while people edit it.
//
// A project is a folder with server.d/ (who the server is), tools/ (scripts, one tool each) and
// more of that kind. [Find] tells where it is, [Open] looks at it, [Project.Identity] and
// [Project.Tools] read it. Nothing is run and nothing is written.
//
// Three rules hold everywhere:
//
//   - The files are the truth. Every question is answered from the files as they are now; what is
//     remembered is only what need not be read again, as the stamps of the files tell.
//   - One broken file spoils one entry. It becomes a [Fault], which names file, line and field and
//     says what to do; everything else is served.
//   - The author's bytes are kept. Schemas and other JSON lose their blanks and line ends, nothing
//     else: key order, number literals and unknown keywords stay (T-20).
package project

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
)

// A Project is one project folder. Its methods may be called from several goroutines.
type Project struct {
	root      string // absolute
	serverDir string // absolute
	tools     *catalog
}

// Options are what may be set about a project; the zero value is the usual layout.
type Options struct {
	// ToolsDir and ServerDir are used instead of tools/ and server.d/. Relative ones start at
	// the root; they may lie outside of it.
	ToolsDir, ServerDir string

	// CheckSchema tells what is wrong with an inputSchema or outputSchema, given as JSON; nil
	// accepts all. It is called from several goroutines at once, once for each schema that is
	// new or changed, and must bound its own time.
	CheckSchema func(schema []byte) error

	// Logger hears of each fault once, when it appears; nil for nobody.
	Logger *slog.Logger
}

// Open makes a project of the folder root, which must exist. Nothing in it needs to.
func Open(root string, o Options) (*Project, error) {
	root, err := folderAt(root)
	if err != nil {
		return nil, err
	}
	p := &Project{root: root, serverDir: below(root, o.ServerDir, "server.d")}
	p.tools = &catalog{
		dir:    below(root, o.ToolsDir, "tools"),
		loader: loader{root: root, check: o.CheckSchema},
		logger: o.Logger,
	}
	if p.tools.logger == nil {
		p.tools.logger = slog.New(slog.DiscardHandler)
	}
	return p, nil
}

// Root is the project's folder, absolute.
func (p *Project) Root() string { return p.root }

// ToolsDir is the folder that tools are looked for in, absolute. It need not exist.
func (p *Project) ToolsDir() string { return p.tools.dir }

// ServerDir is the folder with the server's own files, absolute. It need not exist.
func (p *Project) ServerDir() string { return p.serverDir }

// Rel writes a path as faults do: relative to the root and with slashes, or absolute where it
// lies outside.
func (p *Project) Rel(path string) string { return rel(p.root, path) }

// folderAt makes path absolute and refuses what is not a folder.
func folderAt(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("project folder %q: %w", path, err)
	}
	info, err := os.Stat(abs)
	switch {
	case err != nil:
		return "", fmt.Errorf("project folder %q: %w", abs, cause(err))
	case !info.IsDir():
		return "", fmt.Errorf("project folder %q is a file; name the folder that holds server.d/ and tools/", abs)
	}
	return abs, nil
}

// below is the folder that an option names, or the usual one.
func below(root, option, usual string) string {
	switch {
	case option == "":
		return filepath.Join(root, usual)
	case filepath.IsAbs(option):
		return filepath.Clean(option)
	default:
		return filepath.Join(root, option)
	}
}
