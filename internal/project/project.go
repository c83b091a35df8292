// Package project finds what a project folder offers, and keeps up with it while people edit it.
//
// A project is a folder with server.d/ (who the server is), tools/ (scripts, one tool each),
// resources/, prompts/, completions/ and ui/. [Find] tells where it is, [Open] looks at it,
// [Project.Identity], [Project.Tools], [Project.Resources] and so on read it, [Project.Watch] tells
// when a list has changed. Instead of what is found, lists may hold what server.d/register.json or
// register.sh names. Only the latter is ever run, if the operator allows it, and only the caches
// in .registry/ are ever written, if they are asked for.
//
// Three rules hold everywhere:
//
//   - The files are the truth. Every question is answered from the files as they are now; what is
//     remembered is only what need not be read again, as the system's reports of changes tell, or
//     else the stamps of the files.
//   - One broken file spoils one entry. It becomes a [Fault], which names file, line and field and
//     says what to do; everything else is served. Registrations are the exception: they say what is
//     to be served and nothing else, so a fault there is the answer of the whole list.
//   - The author's bytes are kept. Schemas and other JSON lose their blanks and line ends, nothing
//     else: key order, number literals and unknown keywords stay (T-20).
package project

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
	"github.com/mcp-bash/mcp-bash/v2/internal/hooks"
)

// A Project is one project folder. Its methods may be called from several goroutines.
type Project struct {
	root, serverDir string // absolute
	registryDir     string // absolute; empty for none
	static          bool
	logger          *slog.Logger
	poll, debounce  time.Duration
	listen          func(*atomic.Uint64) (*monitor, error) // as the function startMonitor

	lifetime   lifetime
	clock      atomic.Uint64           // ticks for each question, each scan and each event
	monitor    atomic.Pointer[monitor] // nil while nothing is reported
	watched    atomic.Bool             // by Watch, which keeps the lists
	trees      []*tree
	tools      *catalog[*Tool]
	resources  *catalog[*Resource]
	templates  *catalog[*Template]
	prompts    *catalog[*Prompt]
	completers *catalog[*Completer]
}

// Options are what may be set about a project; the zero value is the usual layout.
type Options struct {
	// These folders are used instead of tools/, resources/, prompts/, completions/, ui/ and
	// server.d/. Relative ones start at the root; they may lie outside of it.
	ToolsDir, ResourcesDir, PromptsDir, CompletionsDir, UIDir, ServerDir string

	// RegistryDir is where lists are kept when they have changed, usually .registry; empty for
	// nowhere. A folder that cannot be written is no fault.
	RegistryDir string
	// Static serves lists as RegistryDir keeps them, without looking at the project, but for
	// register.json. What is not kept, or not in a format that we know, is looked for.
	Static bool

	// Hook says how server.d/register.sh may run; the zero value does not run it. Its folders are set by Open.
	Hook hooks.Host
	// MaxRegistration is how many bytes a registration may be; 0 means DefaultRegistrationBytes.
	MaxRegistration int64

	// Poll is how often Watch looks at the files where the system does not report all changes, as
	// for network disks; 0: every second.
	Poll time.Duration

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
	p := &Project{
		root:      root,
		serverDir: below(root, o.ServerDir, "server.d"),
		logger:    o.Logger,
		static:    o.Static,
		poll:      o.Poll,
		debounce:  debounce,
		listen:    startMonitor,
	}
	if p.logger == nil {
		p.logger = slog.New(slog.DiscardHandler)
	}
	if o.RegistryDir != "" {
		p.registryDir = below(root, o.RegistryDir, "")
	}
	p.wire(o)
	return p, nil
}

// since is the time after which what answers a question asked now must have been found: now, or
// when something last happened to the files, where the system says so for sure.
func (p *Project) since() uint64 {
	if m := p.monitor.Load(); m != nil {
		<-m.ready
		if last, sure := m.lastEvent(); sure {
			return last
		}
	}
	return p.clock.Add(1)
}

// Looks reports whether who asks for a list has the files looked at: the system does not say for
// sure that nothing has happened to them.
func (p *Project) Looks() bool {
	m := p.monitor.Load()
	return m == nil || !m.reliable()
}

// Root is the project's folder, absolute.
func (p *Project) Root() string { return p.root }

// ToolsDir is the folder that tools are looked for in, absolute. It need not exist.
func (p *Project) ToolsDir() string { return p.trees[0].dir }

// ServerDir is the folder with the server's own files, absolute. It need not exist.
func (p *Project) ServerDir() string { return p.serverDir }

// Rel writes a path as faults do: relative to the root and with slashes, or absolute where it
// lies outside.
func (p *Project) Rel(path string) string { return rel(p.root, path) }

// folderAt makes path absolute and refuses what is not a folder.
func folderAt(path string) (string, error) {
	abs, err := filepath.Abs(files.Native(path))
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
