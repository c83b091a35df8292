package providers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/fetch"
	"github.com/mcp-bash/mcp-bash/v2/internal/mediatype"
	"github.com/mcp-bash/mcp-bash/v2/internal/process"
)

// Git reads single files of repositories: git+https://HOST/REPOSITORY#REF:PATH, where REF is a
// branch, a tag or a full commit id and may be left out with its colon. It runs the git command to
// fetch the newest commit of the ref and, if the server supports partial clones, only that one
// file. Nothing is checked out, so no link, filter, hook or submodule of the repository has an
// effect. No credentials are sent.
//
// The host must be allowed and have public addresses only. Git is restricted to those addresses
// with http.curloptResolve, which it supports since 2.37; an older git resolves the name again, and
// if its address changes in between git may connect elsewhere. Redirects are not followed.
//
// The zero value reads nothing.
type Git struct {
	Enabled bool // MCPBASH_ENABLE_GIT_PROVIDER
	Hosts   Hosts
	Run     Run           // runs git
	Program string        // the git command, absolute
	Env     []string      // the server's environment; git gets only what programs need to work
	Temp    string        // where the temporary folder of a read is made; empty: the system's
	Timeout time.Duration // for the whole read; 0 means 30 s, at most 60 s
	MaxKB   int64         // limit of the temporary folder; 0 means 51200, at most 1048576
	// MaxBytes limits the file; 0 means DefaultMaxBytes.
	MaxBytes int64

	test struct { // replaced by tests
		resolve   func(context.Context, string) ([]netip.Addr, error)
		config    []string
		protocols string
	}
}

const (
	gitTimeout        = 30 * time.Second
	longestGitTimeout = 60 * time.Second
	gitMaxKB          = 50 << 10
	highestGitMaxKB   = 1 << 20
)

// Read fetches the file that a URI names.
func (g Git) Read(ctx context.Context, uri string) ([]Content, error) {
	if !g.Enabled {
		return nil, fmt.Errorf("%w: git is switched off; set MCPBASH_ENABLE_GIT_PROVIDER=true", ErrDenied)
	}
	file, err := parseGit(uri)
	if err != nil {
		return nil, err
	}
	if err := g.Hosts.Check(file.repository); err != nil {
		return nil, fmt.Errorf("%w: %w; see MCPBASH_GIT_ALLOW_HOSTS and MCPBASH_GIT_DENY_HOSTS", ErrDenied, err)
	}
	timeout := min(cmp.Or(g.Timeout, gitTimeout), longestGitTimeout)
	timed, cancel := context.WithTimeoutCause(ctx, timeout,
		fmt.Errorf("%w: git did not end within %v", ErrUnavailable, timeout))
	defer cancel()
	content, err := g.read(timed, file)
	if err != nil {
		if timed.Err() != nil {
			err = context.Cause(timed) // ctx's own cause, if it ended first
		}
		return nil, err
	}
	return []Content{NewContent(uri, mediatype.Of(file.path, content), content)}, nil
}

func (g Git) read(ctx context.Context, file gitFile) ([]byte, error) {
	resolve := g.test.resolve
	if resolve == nil {
		resolve = fetch.Resolve
	}
	addresses, err := resolve(ctx, file.repository.Hostname())
	switch {
	case errors.Is(err, fetch.ErrAddress):
		return nil, fmt.Errorf("%w: %w", ErrDenied, err)
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	temp, err := os.MkdirTemp(g.Temp, "mcp-bash-git.")
	if err != nil {
		return nil, fmt.Errorf("%w: no folder for git: %w", ErrUnavailable, err)
	}
	defer os.RemoveAll(temp)
	limit := min(cmp.Or(g.MaxKB, gitMaxKB), highestGitMaxKB)
	ctx, stop := watchSize(ctx, temp, limit)
	defer stop()
	c := clone{
		git:    g,
		file:   file,
		dir:    filepath.Join(temp, "repository"),
		config: append(gitConfig(file.repository, addresses), g.test.config...),
		env:    g.environment(temp),
	}
	content, err := c.content(ctx)
	if err == nil && diskUsage(temp) > limit<<10 {
		err = repositoryTooLarge(limit)
	}
	return content, err
}

// gitConfig returns all the configuration that git gets: no file is read.
func gitConfig(repository *url.URL, addresses []netip.Addr) []string {
	config := []string{
		"remote.origin.url=" + repository.String(),
		"remote.origin.promisor=true", // objects left out of the fetch are fetched when they are needed
		"remote.origin.partialclonefilter=blob:none",
		"protocol.version=2",
		"http.followRedirects=false",
		"credential.helper=",
		"core.hooksPath=" + os.DevNull,
		"transfer.bundleURI=false", // no downloads from places that the server names
		"gc.auto=0",
		"maintenance.auto=false",
	}
	if _, err := netip.ParseAddr(repository.Hostname()); err != nil { // a name, which curl would resolve
		list := make([]string, len(addresses))
		for i, a := range addresses {
			if list[i] = a.String(); a.Is6() {
				list[i] = "[" + list[i] + "]"
			}
		}
		config = append(config, "http.curloptResolve="+repository.Hostname()+":"+cmp.Or(repository.Port(), "443")+":"+
			strings.Join(list, ","))
	}
	return config
}

// environment prevents git from asking for input, from reading configuration of the user and the
// system, and from using any protocol but https.
func (g Git) environment(home string) []string {
	alwaysPassed := []string{"PATH", "HOME", "SHELL", "TMPDIR", "LANG",
		"SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "TEMP", "TMP", "USERPROFILE"} // Windows
	needed := slices.DeleteFunc(slices.Clone(g.Env), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return !slices.Contains(alwaysPassed, strings.ToUpper(name))
	})
	return process.With(needed,
		"HOME="+home,
		"LC_ALL=C", // its messages are read in faultOf
		"GIT_CONFIG_NOSYSTEM=1",
		"GIT_CONFIG_GLOBAL="+os.DevNull,
		"GIT_TERMINAL_PROMPT=0",
		"GIT_ALLOW_PROTOCOL="+cmp.Or(g.test.protocols, "https"),
		"GIT_PROTOCOL_FROM_USER=0",
		"GIT_LITERAL_PATHSPECS=1",
	)
}
