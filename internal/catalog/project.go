// Package catalog finds the entries of a project folder, and follows its changes.
//
// A project is a folder with server.d/ (who the server is), tools/ (scripts, one tool each),
// resources/, prompts/, completions/ and ui/. [Find] finds it, [Open] opens it, [Project.Identity],
// [Project.Tools], [Project.Resources] and so on read it, [Project.Watch] reports when a list has
// changed. Instead of the files found, lists may contain what server.d/register.json or register.sh
// registers. Only the latter is ever run, if the operator allows it, and only the caches in
// .registry/ are ever written, if they are enabled.
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
//
// # How a list is made
//
// There is a [list] for each kind of entry. A request for it is a look at the files:
//
//   - An [ask] says how fresh the answer must be, as a tick of the project's clock. What was found
//     after that tick is used as it is, so concurrent callers share one look.
//   - list.ask collects the [parts] of the list: the batches of entries in its sources, of which there
//     are four: register.json, what register.sh writes, a list in .registry/, and a folder.
//   - A [source] that is a file is read again when it, or a file that one of its entries was built from,
//     has another stamp. The one that is a folder is a [tree]. It is scanned: each [folder] is reused
//     if its stamp and those of its files are the same; else its rules plan which files are candidates,
//     and each candidate becomes an [item], which is reused if its files are the same.
//   - The same batches as the last time are the same list. Otherwise they are joined to a new
//     [state], with a hash of what clients see. Whether a list has changed is decided by that hash.
//
// While the metadata of an entry is read, a [reading] collects faults and the files that it depends
// on. [Project.Watch] looks at all lists when the monitor reports something, compares their versions,
// and tells the monitor what they depend on ([interests]).
package catalog

import (
	"cmp"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
	"github.com/mcp-bash/mcp-bash/v2/internal/hooks"
)

// A Project is one project folder. Its methods may be called from several goroutines.
type Project struct {
	root, serverDir string            // absolute
	dirs            [kindCount]string // absolute; registered paths of each kind start there, or else at the root
	registryDir     string            // absolute; empty for none
	o               Options           // complete: with a logger and a limit
	warnOfHook      sync.Once         // that it may not run
	debounce        time.Duration
	listen          func(*Project) (*monitor, error) // startMonitor, except in tests

	lifetime   lifetime
	clock      atomic.Uint64           // ticks for each question, each scan and each event
	monitor    atomic.Pointer[monitor] // nil while nothing is reported
	watched    atomic.Bool             // Watch is in use, and writes the lists
	tools      *tree
	interfaces *tree
	trees      []*tree // all of them
	sources    []*source
	lists      [kindCount]*list
}

// Options configure a project; the zero value means the default layout.
type Options struct {
	Folders Folders
	// Named describes the server where its metadata does not; empty: the folder and the files of other tools do.
	Named Named
	// Static serves lists from Folders.Registry, without reading the project, except for register.json.
	// Lists that are not in it, or in an unknown format, are read from the project.
	Static bool

	// Hook defines how server.d/register.sh may run; the zero value does not run it. Its folders
	// are set by Open.
	Hook hooks.Host
	// MaxRegistration is the maximal size of a registration in bytes; 0 means
	// DefaultRegistrationBytes.
	MaxRegistration int64

	// Poll is how often Watch polls the files if the system does not report all changes, for
	// example on network disks; 0: every second.
	Poll time.Duration
	// Own is a private folder of the server, to ask the system in whether it has reported all changes;
	// without one, each request for a list looks at the files.
	Own string

	// Logger logs each fault once, when it appears; nil logs nothing.
	Logger *slog.Logger
}

// Folders replace the usual ones of a project. Relative ones start at the root; they may be outside of it.
type Folders struct {
	Tools, Resources, Prompts, Completions, UI, Server, Providers, Interceptors string
	// Registry is the folder in which lists are written when they have changed, usually .registry; empty to write
	// nothing. A folder that cannot be written is not a fault.
	Registry string
}

// Usual are the folders of a project whose options name no others.
func Usual() Folders {
	return Folders{Tools: "tools", Resources: "resources", Prompts: "prompts", Completions: "completions", UI: "ui",
		Server: "server.d", Providers: "providers", Interceptors: "interceptors"}
}

// Read returns the folders that a server reads.
func (f Folders) Read() []string {
	return []string{f.Tools, f.Resources, f.Prompts, f.Completions, f.UI, f.Providers, f.Interceptors, f.Server}
}

// Named is how a server is called.
type Named struct{ Name, Title, Version string }

// Open opens the project in the folder root, which must exist. It may be empty.
func Open(root string, o Options) (*Project, error) {
	root, err := folderAt(root)
	if err != nil {
		return nil, err
	}
	serverDir := below(root, o.Folders.Server, Usual().Server)
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	o.MaxRegistration = cmp.Or(max(o.MaxRegistration, 0), DefaultRegistrationBytes)
	o.Hook.Root, o.Hook.ServerDir = root, serverDir
	p := &Project{root: root, serverDir: serverDir, o: o, debounce: debounce, listen: startMonitor}
	if o.Folders.Registry != "" {
		p.registryDir = below(root, o.Folders.Registry, "")
	}
	p.assemble()
	return p, nil
}

// since returns the time after which the answer to a question asked now must have been found: now,
// or the time of the last event, if the system reports all of them.
func (p *Project) since() uint64 {
	if m := p.monitor.Load(); m != nil {
		if last, sure := m.lastEvent(); sure {
			return last
		}
	}
	return p.clock.Add(1)
}

// Looks reports whether a request for a list has to check the files, because the system does not
// guarantee to report all changes, or has reported one.
func (p *Project) Looks() bool {
	if m := p.monitor.Load(); m != nil {
		_, sure := m.lastNoted()
		return !sure
	}
	return true
}

// Root returns the project's folder, absolute.
func (p *Project) Root() string { return p.root }

// ToolsDir returns the folder of the tools, absolute. It need not exist.
func (p *Project) ToolsDir() string { return p.tools.dir }

// InterceptorsDir returns the folder of the interceptors, absolute. It need not exist.
func (p *Project) InterceptorsDir() string { return p.dirs[kindInterceptor] }

// ServerDir returns the folder with the server's own files, absolute. It need not exist.
func (p *Project) ServerDir() string { return p.serverDir }

// Rel returns a path as faults show it: relative to the root and with slashes, or absolute if it is
// outside.
func (p *Project) Rel(path string) string { return rel(p.root, path) }

// folderAt makes path absolute and returns an error unless it is a folder.
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

// below returns the folder that an option names, or the default one.
func below(root, option, fallback string) string {
	return filepath.Clean(files.InRoot(root, cmp.Or(option, fallback)))
}
