package providers

import (
	"context"
	"crypto/tls"
	"encoding/pem"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/fetch"
)

// A bare is a local bare repository and its first two commits.
type bare struct{ dir, first, second string }

// git runs git in a folder, without the configuration of the user and the system.
func git(t testing.TB, dir string, args ...string) string {
	t.Helper()
	c := exec.Command("git", args...)
	c.Dir = dir
	c.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@a.test", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@a.test")
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func newBare(t testing.TB) bare {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed, so nothing can be cloned")
	}
	base := t.TempDir()
	work := filepath.Join(base, "work")
	write(t, work, "docs/a b.md", "# One\n")
	write(t, work, "logo.png", "\x89PNG\x00")
	write(t, work, "big.bin", strings.Repeat("\x00incompressible? no, but large", 20_000))
	link(t, "docs", filepath.Join(work, "link"))
	git(t, work, "init", "--quiet", "--initial-branch=main")
	git(t, work, "add", "-A")
	git(t, work, "commit", "--quiet", "-m", "one")
	git(t, work, "tag", "v1")
	first := git(t, work, "rev-parse", "HEAD")
	write(t, work, "docs/a b.md", "# Two\n")
	git(t, work, "commit", "--quiet", "-a", "-m", "two")
	second := git(t, work, "rev-parse", "HEAD")
	git(t, base, "clone", "--quiet", "--bare", "work", "repo.git")
	return bare{filepath.Join(base, "repo.git"), first, second}
}

// offer sets an upload-pack option of the repository.
func (b bare) offer(t testing.TB, feature string) {
	git(t, b.dir, "config", "uploadpack."+feature, "true")
}

// provider returns a provider that reads the repository for every URL at git.test. It fails the
// test if a read leaves files behind.
func (b bare) provider(t testing.TB) Git {
	t.Helper()
	program, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	g := Git{
		Enabled: true,
		Hosts:   fetch.Hosts{Allow: []string{"git.test"}},
		Run:     runIn(t.TempDir()),
		Program: program,
		Env:     os.Environ(),
		Temp:    t.TempDir(),
	}
	g.test.resolve = func(context.Context, string) ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr("::1"), netip.MustParseAddr("127.0.0.1")}, nil
	}
	g.test.config = []string{"url." + fileURI(b.dir) + ".insteadOf=https://git.test/repo"}
	g.test.protocols = "file"
	t.Cleanup(func() {
		if left, err := os.ReadDir(g.Temp); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v %v", left, err)
		}
	})
	return g
}

func TestAFileOfARepositoryIsRead(t *testing.T) {
	for _, features := range [][]string{nil, {"allowFilter", "allowAnySHA1InWant"}} { // servers without and with support for partial clones
		b := newBare(t)
		for _, f := range features {
			b.offer(t, f)
		}
		g := b.provider(t)
		for ref, want := range map[string]string{"": "Two", "main:": "Two", "HEAD:": "Two", "v1:": "One", b.second + ":": "Two", b.first + ":": "One"} {
			is := is.New(t)
			uri := "git+https://git.test/repo#" + ref + "docs/a%20b.md"
			is.Equal(read(t, g, uri), `{"uri":"`+uri+`","mimeType":"text/markdown","text":"# `+want+`\n"}`)
		}
		is := is.New(t)
		is.Equal(read(t, g, "git+https://git.test/repo#logo.png"), `{"uri":"git+https://git.test/repo#logo.png","mimeType":"image/png","blob":"iVBORwA="}`)
	}
}

func TestMissingPartsOfARepositoryHaveTheirOwnErrors(t *testing.T) {
	b := newBare(t)
	b.offer(t, "allowFilter")
	g := b.provider(t)
	for _, c := range []struct {
		uri  string
		want error
		says string
	}{
		{"repo#none.md", ErrNotFound, "the repository has no such file"},
		{"repo#docs", ErrBadURI, "it is a folder; name a file in it"},
		{"repo#link", ErrDenied, "it is a symbolic link; name the file that it leads to"},
		{"repo#link/a b.md", ErrNotFound, "the repository has no such file"}, // a link is not followed
		{"repo#.git/config", ErrNotFound, "the repository has no such file"},
		{"repo#*.md", ErrNotFound, "the repository has no such file"}, // not a pattern
		{"repo#HEAD::(top)logo.png", ErrNotFound, "the repository has no such file"},
		{"repo#none:logo.png", ErrNotFound, `the repository has no branch, tag or commit "none"; a commit needs its full id`},
		{"repo#" + b.first[:8] + ":logo.png", ErrNotFound, `a commit needs its full id`},
		{"repo#refs/heads/none:logo.png", ErrNotFound, `no branch, tag or commit`},
	} {
		is := is.New(t)
		_, err := g.Read(t.Context(), "git+https://git.test/"+c.uri)
		is.Equal(faultIn(err), c.want)
		is.True(strings.Contains(err.Error(), c.says))
	}
}

func TestGitIsOffUnlessItIsSwitchedOn(t *testing.T) {
	is := is.New(t)
	is.Equal(read(t, Git{}, "git+https://git.test/repo#a"), "resource not allowed: git is switched off; set MCPBASH_ENABLE_GIT_PROVIDER=true")
	is.Equal(read(t, Git{Enabled: true}, "git+https://git.test/repo#a"),
		"resource not allowed: host not allowed: git.test is not on the allow list; see MCPBASH_GIT_ALLOW_HOSTS and MCPBASH_GIT_DENY_HOSTS")
	g := Git{Enabled: true, Hosts: fetch.Hosts{AllowAll: true, Deny: []string{"git.test"}}}
	_, err := g.Read(t.Context(), "git+https://git.test/repo#a")
	is.True(errors.Is(err, ErrDenied))
	_, err = Git{Enabled: true, Hosts: fetch.Hosts{AllowAll: true}}.Read(t.Context(), "git+https://127.0.0.1/repo#a")
	is.True(errors.Is(err, ErrDenied)) // a private address
	_, err = Git{Enabled: true, Hosts: fetch.Hosts{AllowAll: true}}.Read(t.Context(), "git+https://localhost/repo#a")
	is.True(errors.Is(err, ErrDenied))
}

func TestOnlyHTTPSIsUsed(t *testing.T) {
	is := is.New(t)
	g := newBare(t).provider(t)
	g.test.protocols = "" // as in production, so the local repository is out of reach
	_, err := g.Read(t.Context(), "git+https://git.test/repo#logo.png")
	is.True(errors.Is(err, ErrUnavailable))
	is.True(strings.Contains(err.Error(), "transport 'file' not allowed"))
}

func TestConfigurationOfTheUserHasNoEffect(t *testing.T) {
	is := is.New(t)
	home := t.TempDir()
	write(t, home, ".gitconfig", "[url \"file:///nowhere\"]\n\tinsteadOf = file://\n[core]\n\tsshCommand = false\n")
	g := newBare(t).provider(t)
	g.Env = append(g.Env, "HOME="+home, "XDG_CONFIG_HOME="+home, "GIT_CONFIG_GLOBAL="+filepath.Join(home, ".gitconfig"),
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=url.file:///nowhere.insteadOf", "GIT_CONFIG_VALUE_0=file://", "GIT_DIR=/nowhere")
	_, err := g.Read(t.Context(), "git+https://git.test/repo#logo.png")
	is.NoErr(err)
}

func TestARepositoryThatIsTooLargeIsRefused(t *testing.T) {
	is := is.New(t)
	b := newBare(t)
	g := b.provider(t)
	g.MaxKB = 1
	is.Equal(read(t, g, "git+https://git.test/repo#logo.png"), "resource too large: the repository takes more than 1 KB; raise MCPBASH_GIT_MAX_KB")
	g.MaxKB, g.MaxBytes = 0, 1000
	is.Equal(read(t, g, "git+https://git.test/repo#big.bin"), "resource too large: the limit is 1000 bytes; raise MCPBASH_MAX_RESOURCE_BYTES")
}

func TestAFetchThatTakesTooMuchSpaceIsEnded(t *testing.T) {
	is := is.New(t)
	dir := t.TempDir()
	ctx, stop := watchSize(t.Context(), dir, 1)
	defer stop()
	is.NoErr(ctx.Err())
	write(t, dir, "objects/pack", strings.Repeat("x", 2000))
	select {
	case <-ctx.Done():
	case <-time.After(time.Minute):
	}
	is.True(errors.Is(context.Cause(ctx), ErrTooLarge))
}

// slow returns a git that never ends.
func slow(t testing.TB) string {
	if onWindows {
		t.Skip("Windows does not read #! lines, so the stand-in for git cannot start")
	}
	return write(t, t.TempDir(), "git", "#!/bin/sh\nexec tail -f /dev/null\n")
}

func TestGitThatTakesTooLongIsEnded(t *testing.T) {
	is := is.New(t)
	g := newBare(t).provider(t)
	g.Program, g.Timeout = slow(t), 100*time.Millisecond
	is.Equal(read(t, g, "git+https://git.test/repo#logo.png"), "resource unavailable: git did not end within 100ms")
}

func TestGitEndsWithItsCall(t *testing.T) {
	is := is.New(t)
	g := newBare(t).provider(t)
	g.Program = slow(t)
	gone := errors.New("cancelled")
	ctx, cancel := context.WithTimeoutCause(t.Context(), 100*time.Millisecond, gone)
	defer cancel()
	_, err := g.Read(ctx, "git+https://git.test/repo#logo.png")
	is.Equal(err, gone)
}

func TestWithoutGitTheErrorNamesTheRemedy(t *testing.T) {
	is := is.New(t)
	g := newBare(t).provider(t)
	g.Program = filepath.Join(t.TempDir(), "none")
	is.Equal(read(t, g, "git+https://git.test/repo#logo.png"), "resource unavailable: cannot start git; install it")
}

func TestGitUsesTheCheckedAddresses(t *testing.T) {
	is := is.New(t)
	b := newBare(t)
	b.offer(t, "allowFilter")
	server, ca := serveGit(t, b)
	g := b.provider(t)
	g.test.config, g.test.protocols = []string{"http.sslCAInfo=" + ca}, ""
	port := server[strings.LastIndex(server, ":"):]
	g.Hosts.Allow = []string{"example.com" + port}
	// Only the pinned address leads example.com to this machine.
	uri := "git+https://example.com" + port + "/repo.git#docs/a%20b.md"
	is.Equal(read(t, g, uri), `{"uri":"`+uri+`","mimeType":"text/markdown","text":"# Two\n"}`)
	is.Equal(read(t, g, "git+https://example.com"+port+"/none.git#a"), "resource not found: the repository does not exist")
	is.Equal(read(t, g, "git+https://example.com"+port+"/private.git#a"), "resource unavailable: the repository does not exist or requires credentials, which are not sent")
	_, err := g.Read(t.Context(), "git+https://example.com"+port+"/moved.git#a")
	is.True(errors.Is(err, ErrUnavailable)) // a redirect is not followed
}

// serveGit serves a repository over HTTPS, under /repo.git, and returns the URL of the server
// and the file of its certificate.
func serveGit(t testing.TB, b bare) (server, ca string) {
	t.Helper()
	backend := filepath.Join(git(t, ".", "--exec-path"), "git-http-backend")
	if _, err := os.Stat(backend); err != nil {
		t.Skip("git-http-backend is not installed, so no repository can be served over https")
	}
	h := http.NewServeMux()
	h.Handle("/repo.git/", &cgi.Handler{
		Path:   backend,
		Env:    []string{"GIT_PROJECT_ROOT=" + filepath.Dir(b.dir), "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull},
		Logger: log.New(io.Discard, "", 0),
		Stderr: io.Discard,
	})
	h.HandleFunc("/private.git/", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
		w.WriteHeader(http.StatusUnauthorized)
	})
	h.HandleFunc("/moved.git/", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, strings.Replace(r.URL.String(), "moved", "repo", 1), http.StatusMovedPermanently)
	})
	s := httptest.NewUnstartedServer(h)
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.TLS = &tls.Config{NextProtos: []string{"http/1.1"}}
	s.StartTLS()
	t.Cleanup(s.Close)
	ca = filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	return s.URL, ca
}
