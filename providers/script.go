package providers

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/fetch"
	"github.com/mcp-bash/mcp-bash/v2/internal/files"
	"github.com/mcp-bash/mcp-bash/v2/internal/mediatype"
)

// Exec configures how scripts of the project are run. Run is required; it sets their variables
// besides those of the read.
type Exec struct {
	Run      Run
	Timeout  time.Duration // 0: none but that of the read
	MaxBytes int64         // of its output; 0 means DefaultMaxBytes
}

// Scripts are the project's own providers: for each scheme NAME an executable NAME.sh in the
// folder, in any language; on Windows also NAME.exe, NAME.cmd or NAME.bat. They take precedence
// over built-in providers. The folder is checked for each read, so a new script works at once. The
// zero value has none.
type Scripts struct {
	Folder string // absolute
	Exec
}

// Provider returns the script for a scheme, or of a name, if there is one. As in the projects of the Bash
// program, git.sh reads git+https: URIs.
func (s Scripts) Provider(scheme string) (Provider, bool) {
	if s.Folder == "" || !isScriptName(scheme) {
		return nil, false
	}
	names, endings := []string{scheme}, []string{".sh"}
	if scheme == "git+https" {
		names = append(names, "git")
	}
	if onWindows {
		endings = append(endings, ".exe", ".cmd", ".bat")
	}
	for _, name := range names {
		for _, ending := range endings {
			path := filepath.Join(s.Folder, name+ending)
			if files.Exists(path) {
				return Script{Path: path, Exec: s.Exec}, true
			}
		}
	}
	return nil, false
}

// isScriptName reports whether a name is that of a file in the folder itself. It may have more
// characters than a scheme, for metadata that names its provider.
func isScriptName(name string) bool {
	return IsScheme(strings.ToLower(strings.ReplaceAll(name, "_", "-")))
}

// A Script is an executable that gets a URI as its only argument and writes the contents to stdout,
// as bytes of any kind. Its exit codes are
//
//	0  success
//	2  outside of the files that may be read
//	3  no such resource
//	4  not a URI that it accepts, or not allowed
//	5  could not be fetched
//	6  too large
//	7  a redirect, with "redirect:LOCATION" on stderr
//
// and its stderr explains the failure to the client. Any other code is a failure too.
type Script struct {
	Path string // absolute
	Exec
}

// exitFaults are the faults of its exit codes; that of others is [ErrUnavailable].
var exitFaults = map[int]error{2: ErrOutside, 3: ErrNotFound, 4: ErrBadURI, 6: ErrTooLarge}

// exitFault returns the fault for the exit code of a script.
func exitFault(name string, out Output) error {
	says := cmp.Or(out.Stderr, fmt.Sprintf("%s ended with exit code %d", name, out.ExitCode))
	_, location, redirects := strings.Cut(says, "redirect:")
	switch fault := exitFaults[out.ExitCode]; {
	case fault != nil:
		return fmt.Errorf("%w: %s", fault, says)
	case redirects && out.ExitCode == 7:
		location, _, _ = strings.Cut(strings.TrimSpace(location), "\n")
		return fmt.Errorf("%w: %w", ErrUnavailable, &fetch.RedirectError{Location: location})
	case out.Signal != "":
		says = name + " was ended by " + out.Signal
	}
	return fmt.Errorf("%w: %s", ErrUnavailable, says)
}

// Read runs the script.
func (s Script) Read(ctx context.Context, uri string) ([]Content, error) {
	return s.read(ctx, uri, "MCP_RESOURCE_URI="+uri)
}

// read runs the script with additional variables.
func (s Script) read(ctx context.Context, uri string, env ...string) ([]Content, error) {
	if err := checkURI(uri); err != nil {
		return nil, err
	}
	out, err := s.Run.runCommand(ctx, Command{
		Path: s.Path, Args: []string{uri}, Env: env,
		Timeout: s.Timeout, MaxBytes: int(cmp.Or(s.MaxBytes, DefaultMaxBytes)),
	})
	switch {
	case err != nil:
		return nil, err
	case out.ExitCode != 0:
		return nil, exitFault(filepath.Base(s.Path), out)
	}
	return []Content{NewContent(uri, mediatype.Of(nameIn(uri), out.Stdout), out.Stdout)}, nil
}

// nameIn returns the part of a URI that may end like a file name.
func nameIn(uri string) string {
	if u, err := url.Parse(uri); err == nil {
		return u.Path
	}
	return ""
}
