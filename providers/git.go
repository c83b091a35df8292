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
	"github.com/mcp-bash/mcp-bash/v2/internal/script"
)

// Git reads single files of repositories: git+https://HOST/REPOSITORY#REF:PATH, where REF is
// a branch, a tag or a whole commit id and may be left out with its colon. It asks the git
// command for the newest state of the ref and, where the server can give them one by one, for
// that one file. Nothing is checked out, so no link, filter, hook or submodule of the
// repository has an effect. No credentials are sent.
//
// The host must be allowed and have public addresses only. Git is held to those addresses
// with http.curloptResolve, which it knows from 2.37 on; an older git looks the name up once
// more, and a name whose address changes in between can lead it elsewhere. Redirects are
// not followed.
//
// The zero value reads nothing.
type Git struct {
	Enabled bool // MCPBASH_ENABLE_GIT_PROVIDER
	Hosts   Hosts
	Run     Run           // runs git
	Program string        // the git command, absolute
	Env     []string      // the server's; git gets what programs need at all
	Temp    string        // where the folder of a read is made; empty: the system's
	Timeout time.Duration // for all of it; 0 means 30 s, at most 60 s
	MaxKB   int64         // what the folder may take; 0 means 51200, at most 1048576
	// MaxBytes limits the file; 0 means DefaultMaxBytes.
	MaxBytes int64

	test struct { // what tests replace
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
	timed, cancel := context.WithTimeoutCause(ctx, timeout, fmt.Errorf("%w: git did not end within %v", ErrUnavailable, timeout))
	defer cancel()
	content, err := g.read(timed, file)
	if err != nil {
		if timed.Err() != nil {
			err = context.Cause(timed) // ctx's own, if that was first
		}
		return nil, err
	}
	return []Content{NewContent(uri, typeOf(file.path, content), content)}, nil
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

// gitConfig is all the configuration that git gets: no file is read.
func gitConfig(repository *url.URL, addresses []netip.Addr) []string {
	config := []string{
		"remote.origin.url=" + repository.String(),
		"remote.origin.promisor=true", // what is left out of the fetch comes when it is asked for
		"remote.origin.partialclonefilter=blob:none",
		"protocol.version=2",
		"http.followRedirects=false",
		"credential.helper=",
		"core.hooksPath=" + os.DevNull,
		"transfer.bundleURI=false", // no downloads from where the server says
		"gc.auto=0",
		"maintenance.auto=false",
	}
	if _, err := netip.ParseAddr(repository.Hostname()); err != nil { // a name, that curl would look up
		config = append(config, "http.curloptResolve="+pin(repository, addresses))
	}
	return config
}

// pin is the entry that makes curl take these addresses for the host.
func pin(repository *url.URL, addresses []netip.Addr) string {
	list := make([]string, len(addresses))
	for i, a := range addresses {
		list[i] = a.String()
		if a.Is6() {
			list[i] = "[" + list[i] + "]"
		}
	}
	return strings.Join([]string{repository.Hostname(), cmp.Or(repository.Port(), "443"), strings.Join(list, ",")}, ":")
}

// environment keeps git from asking, from configuration of the user and the system, and from
// every protocol but https.
func (g Git) environment(home string) []string {
	needed := slices.DeleteFunc(slices.Clone(g.Env), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return !slices.Contains(alwaysPassed, strings.ToUpper(name))
	})
	return script.With(needed,
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
