//go:build unix

package proxy

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/matryer/is"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/mod/semver"

	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/httpdtest"
	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/session"
	"github.com/mcp-bash/mcp-bash/v2/internal/waittest"
)

// A balancer is a program whose configuration for two replicas is in examples/proxy.
type balancer struct {
	program string
	file    string // below examples/proxy
	// projects is the file for two projects behind paths, empty if there is none.
	projects string
	args     []string // CONF is replaced by the configuration, DIR by a folder for the balancer
	check    []string // validates the configuration
	// here adapts the configuration to this machine: it listens on address, with the certificate and
	// the key in cert.pem, key.pem and, both together, mcp.pem of dir.
	here func(text, address, dir string) string
}

var balancers = []balancer{
	{
		program: "nginx", file: "nginx/nginx.conf", projects: "nginx/projects.conf",
		args:  []string{"-c", "CONF", "-p", "DIR", "-e", "stderr", "-g", "daemon off; pid DIR/pid;"},
		check: []string{"-t", "-c", "CONF", "-p", "DIR", "-e", "stderr", "-g", "pid DIR/pid;"},
		here: func(text, address, dir string) string {
			return strings.NewReplacer("listen 443", "listen "+address, "/etc/nginx/tls", dir, "mcp.example.com", "127.0.0.1",
				"http {", "http {\naccess_log off;\nclient_body_temp_path "+dir+"/body;\nproxy_temp_path "+dir+"/proxy;\nfastcgi_temp_path "+dir+"/fastcgi;\nuwsgi_temp_path "+dir+"/uwsgi;\nscgi_temp_path "+dir+"/scgi;\n").Replace(text)
		},
	},
	{
		program: "caddy", file: "caddy/Caddyfile", projects: "caddy/projects.Caddyfile",
		args:  []string{"run", "--config", "CONF", "--adapter", "caddyfile"},
		check: []string{"validate", "--config", "CONF", "--adapter", "caddyfile"},
		here: func(text, address, dir string) string {
			return "{\n\tadmin off\n\tskip_install_trust\n\tauto_https disable_redirects\n}\n" + strings.Replace(text, "{$SITE:mcp.example.com} {", "https://"+address+" {\n\ttls "+dir+"/cert.pem "+dir+"/key.pem", 1)
		},
	},
	{
		program: "haproxy", file: "haproxy/haproxy.cfg",
		args:  []string{"-db", "-f", "CONF"},
		check: []string{"-c", "-f", "CONF"},
		here: func(text, address, dir string) string {
			return strings.NewReplacer("bind :443", "bind "+address, "/etc/haproxy/tls", dir).Replace(text)
		},
	},
}

// each runs a test for each balancer that is installed, beside the other tests, as they mostly wait.
func each(t *testing.T, do func(t *testing.T, b balancer)) {
	t.Parallel()
	for _, b := range balancers {
		t.Run(b.program, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(b.program); err != nil {
				t.Skipf("%s is not installed, so examples/proxy/%s is not tested", b.program, b.file)
			}
			do(t, b)
		})
	}
}

// A front is a balancer that runs in front of two replicas.
type front struct {
	*cluster
	url    string
	client *http.Client // trusts its certificate
}

// freeAddress returns an address that is not in use. Another program may take it before a balancer does.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// prepare writes the configuration of a balancer that listens on an address, for replicas at two addresses
// on this machine.
func (b balancer) prepare(t *testing.T, address, first, second string) (cert string, args func([]string) []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../examples/proxy", b.file))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cert, key := httpdtest.Certificate(t)
	var both []byte
	for from, to := range map[string]string{cert: "cert.pem", key: "key.pem"} {
		part, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		both = append(both, part...)
		if err := os.WriteFile(filepath.Join(dir, to), part, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	conf := filepath.Join(dir, filepath.Base(b.file))
	changed := strings.NewReplacer("10.0.0.1:8080", first, "10.0.0.2:8080", second,
		"127.0.0.1:8081", first, "127.0.0.1:8082", second).Replace(b.here(string(text), address, dir))
	for path, content := range map[string][]byte{filepath.Join(dir, "mcp.pem"): both, conf: []byte(changed)} {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, func(args []string) (changed []string) {
		for _, a := range args {
			changed = append(changed, strings.NewReplacer("CONF", conf, "DIR", dir).Replace(a))
		}
		return changed
	}
}

// open starts a balancer in front of two replicas until the test ends.
func (b balancer) open(t *testing.T) *front {
	t.Helper()
	return b.openAt(t, func() string { return freeAddress(t) })
}

// openAt is open with a function that returns the address to try next.
func (b balancer) openAt(t *testing.T, next func() string) *front {
	t.Helper()
	return b.before(t, newCluster(t, tools, "a", "b"), next)
}

// before starts a balancer in front of two replicas until the test ends. The function returns the address to try next.
func (b balancer) before(t *testing.T, c *cluster, next func() string) *front {
	t.Helper()
	f := &front{cluster: c}
	var log string
	for range 5 {
		var ok bool
		if log, ok = f.start(t, b, next()); ok {
			return f
		}
	}
	t.Fatalf("%s has ended:\n%s", b.program, log)
	return nil
}

// start starts a balancer, and returns when it serves, or, with what it wrote, when it has ended.
func (f *front) start(t *testing.T, b balancer, address string) (wrote string, ok bool) {
	t.Helper()
	cert, args := b.prepare(t, address, f.replicas[0].address, f.replicas[1].address)
	cmd := exec.Command(b.program, args(b.args)...)
	home := t.TempDir() // where caddy stores its state
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_DATA_HOME="+home)
	log := &strings.Builder{}
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait()
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		<-ended
		if t.Failed() {
			t.Logf("%s wrote:\n%s", b.program, log)
		}
	})
	f.url, f.client = "https://"+address, httpdtest.Trusting(t, cert)
	path := "/mcp"
	if b.file == b.projects {
		path = "/mail/mcp"
	}
	waittest.Until(t, b.program+" serves or has ended", func() bool {
		select {
		case <-ended:
			return true
		default:
		}
		r, err := f.client.Do(request(t, f.url+path, "note", `{"id":"first"}`))
		if err != nil {
			return false
		}
		r.Body.Close()
		ok = r.StatusCode == http.StatusOK
		return ok
	})
	if !ok {
		wrote = log.String()
	}
	return wrote, ok
}

// needsBodies skips a test for a Caddy that loses the body of a POST whose replica cannot be reached.
func (b balancer) needsBodies(t *testing.T) {
	t.Helper()
	if b.program != "caddy" {
		return
	}
	version, err := exec.Command(b.program, "version").Output()
	if err != nil {
		t.Fatal(err)
	}
	// As packages and Caddy itself print it: "2.6.2" or "v2.11.3 h1:...=".
	is := "v" + strings.TrimPrefix(strings.Fields(string(version))[0], "v")
	if semver.Compare(is, leastCaddy) < 0 {
		t.Skipf("Caddy here is %s, behind which calls and sessions can be lost: the configuration needs %s", is, leastCaddy)
	}
}

// leastCaddy is the version that the configuration of Caddy names.
const leastCaddy = "v2.11.3"

func TestABalancerWhoseAddressIsTakenGetsAnother(t *testing.T) {
	each(t, func(t *testing.T, b balancer) {
		taken, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		addresses := []string{taken.Addr().String(), freeAddress(t), freeAddress(t)}
		defer taken.Close()
		go func() {
			for c, err := taken.Accept(); err == nil; c, err = taken.Accept() {
				c.Close()
			}
		}()
		b.openAt(t, func() string {
			defer func() { addresses = addresses[1:] }()
			return addresses[0]
		})
	})
}

func TestTheConfigurationsOfBalancersAreValid(t *testing.T) {
	each(t, func(t *testing.T, b balancer) {
		for _, file := range []string{b.file, b.projects} {
			if b.file = file; file == "" {
				continue
			}
			_, args := b.prepare(t, freeAddress(t), "127.0.0.1:1", "127.0.0.1:2")
			if out, err := exec.Command(b.program, args(b.check)...).CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%s", file, err, out)
			}
		}
	})
}

func TestASessionStaysOnItsReplicaBehindABalancer(t *testing.T) {
	each(t, func(t *testing.T, b balancer) {
		is := is.New(t)
		f := b.open(t)
		for range 6 {
			g := httpdtest.Visit(t, f.url+"/mcp", "2025-11-25", f.client)
			for range 3 {
				text, err := g.Call(t.Context(), "note")
				is.NoErr(err)
				is.Equal(text, "done\n")
			}
		}
		for range 4 {
			c := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
			s, err := c.Connect(t.Context(), &mcp.SSEClientTransport{Endpoint: f.url + "/sse", HTTPClient: f.client}, &mcp.ClientSessionOptions{ProtocolVersion: "2024-11-05"})
			is.NoErr(err)
			text, err := (&httpdtest.Guest{ClientSession: s}).Call(t.Context(), "note")
			is.NoErr(err)
			is.Equal(text, "done\n")
			is.NoErr(s.Close())
		}
		for _, path := range []string{"/metrics", "/healthz", "/readyz"} {
			r, err := f.client.Get(f.url + path)
			is.NoErr(err)
			is.NoErr(r.Body.Close())
			is.Equal(r.StatusCode, http.StatusNotFound)
		}
	})
}

func TestABalancerPassesEventsOnAtOnceAndTellsReplicasThatAClientHasGone(t *testing.T) {
	each(t, func(t *testing.T, b balancer) {
		is := is.New(t)
		f := b.open(t)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		r, err := f.client.Do(request(t, f.url+"/mcp", "step", "{}").WithContext(ctx))
		is.NoErr(err)
		defer r.Body.Close()
		lines := bufio.NewScanner(r.Body)
		for lines.Scan() && !strings.Contains(lines.Text(), "first step") {
			continue // the tool goes on only when it is told
		}
		is.True(strings.Contains(lines.Text(), "first step"))
		cancel()
		for _, r := range f.replicas { // whichever runs it
			r.left(t)
		}
	})
}

func TestWhenAReplicaIsKilledBehindABalancerItsClientsGoOnWithAnother(t *testing.T) {
	each(t, func(t *testing.T, b balancer) {
		is := is.New(t)
		f := b.open(t)
		victim := f.replicas[0]
		var g *httpdtest.Guest
		for g == nil || session.ReplicaOf(g.ID()) != victim.name {
			g = httpdtest.Visit(t, f.url+"/mcp", "2025-11-25", f.client)
		}
		called := make(chan error)
		go func() {
			_, err := g.Call(t.Context(), "hold")
			called <- err
		}()
		waittest.Until(t, "the call is at work", func() bool { return len(f.lines(t, "held")) == 1 })
		victim.kill()
		is.Equal(victim.left(t), "held\n")
		is.True(<-called != nil)
		is.Equal(len(f.lines(t, "held")), 1) // and nobody has sent it to the other one
		_, err := g.Call(t.Context(), "note")
		is.True(err != nil) // its session is gone
		for range 4 {
			text, err := httpdtest.Visit(t, f.url+"/mcp", "2025-11-25", f.client).Call(t.Context(), "note")
			is.NoErr(err)
			is.Equal(text, "done\n")
		}
	})
}

func TestNoCallIsLostWhileReplicasRestartOneAfterTheOtherBehindABalancer(t *testing.T) {
	each(t, func(t *testing.T, b balancer) {
		is := is.New(t)
		b.needsBodies(t)
		f := b.open(t)
		before := len(f.lines(t, "runs"))
		stop := make(chan struct{})
		var load sync.WaitGroup
		var sent atomic.Int64
		for worker := range 4 {
			load.Go(func() {
				for call := 0; ; call++ {
					select {
					case <-stop:
						return
					default:
					}
					sent.Add(1)
					q := request(t, f.url+"/mcp", "note", fmt.Sprintf(`{"id":"%d-%d"}`, worker, call))
					r, err := f.client.Do(q)
					if err != nil {
						t.Errorf("call %d-%d: %v", worker, call, err)
						continue
					}
					body, err := io.ReadAll(r.Body)
					r.Body.Close()
					if err != nil || r.StatusCode != http.StatusOK || !strings.Contains(string(body), `"text":"done`) {
						t.Errorf("call %d-%d: %d %s %v", worker, call, r.StatusCode, body, err)
					}
				}
			})
		}
		for range 2 {
			enough := sent.Load() + 25
			waittest.Until(t, "calls come in", func() bool { return sent.Load() >= enough })
			f.restart(t)
		}
		close(stop)
		load.Wait()
		runs := f.lines(t, "runs")[before:]
		is.Equal(int64(len(runs)), sent.Load()) // and none ran twice
		slices.Sort(runs)
		is.Equal(len(slices.Compact(runs)), int(sent.Load()))
		t.Log(sent.Load(), "calls")
		for range 4 { // each replica is used again, also for sessions
			g := httpdtest.Visit(t, f.url+"/mcp", "2025-11-25", f.client)
			text, err := g.Call(t.Context(), "note")
			is.NoErr(err)
			is.Equal(text, "done\n")
		}
	})
}

func TestASessionThatBeginsAfterARestartStaysOnItsReplicaBehindABalancer(t *testing.T) {
	each(t, func(t *testing.T, b balancer) {
		is := is.New(t)
		b.needsBodies(t)
		f := b.open(t)
		on := func(name string) (g *httpdtest.Guest) {
			waittest.Until(t, "a session begins on "+name, func() bool {
				g = httpdtest.Visit(t, f.url+"/mcp", "2025-11-25", f.client)
				if session.ReplicaOf(g.ID()) == name {
					return true
				}
				is.NoErr(g.Close())
				return false
			})
			return g
		}
		before := on("a")
		f.replicas[0].kill()
		_, err := before.Call(t.Context(), "note") // and so the balancer has met a refused connection
		is.True(err != nil)
		f.again(t, 0)
		g := on("a")
		for range 20 {
			text, err := g.Call(t.Context(), "note")
			is.NoErr(err)
			is.Equal(text, "done\n")
		}
	})
}

func TestSeveralProjectsAreAServerEachBehindPathsOfABalancer(t *testing.T) {
	each(t, func(t *testing.T, b balancer) {
		if b.file = b.projects; b.file == "" {
			t.Skipf("examples/proxy has no file for several projects behind %s", b.program)
		}
		is := is.New(t)
		c := &cluster{notes: t.TempDir()}
		for name, flags := range map[string][]string{"mail": nil, "files": {"--oauth-issuer", "https://login.example.com",
			"--oauth-jwks", "https://login.example.com/keys", "--oauth-resource", "https://mcp.example.com/files/mcp"}} {
			cmd := exec.Command(program, append(flags, "--project", httpdtest.Project(t, tools), "--listen", "127.0.0.1:0", "--production")...)
			cmd.Env = append(os.Environ(), "MCP_E2E_NOTES="+c.notes)
			c.replicas = append(c.replicas, start(t, name, cmd))
		}
		slices.SortFunc(c.replicas, func(x, y *replica) int { return -strings.Compare(x.name, y.name) })
		f := b.before(t, c, func() string { return freeAddress(t) })

		text, err := httpdtest.Visit(t, f.url+"/mail/mcp", "2025-11-25", f.client).Call(t.Context(), "note")
		is.NoErr(err)
		is.Equal(text, "done\n")

		// The other one asks for a token, and says where to get it.
		r, err := f.client.Do(request(t, f.url+"/files/mcp", "note", "{}"))
		is.NoErr(err)
		is.NoErr(r.Body.Close())
		is.Equal(r.StatusCode, http.StatusUnauthorized)
		const metadata = "/.well-known/oauth-protected-resource/files/mcp"
		is.True(strings.Contains(r.Header.Get("WWW-Authenticate"), "https://mcp.example.com"+metadata))
		r, err = f.client.Get(f.url + metadata)
		is.NoErr(err)
		body, err := io.ReadAll(r.Body)
		is.NoErr(err)
		is.NoErr(r.Body.Close())
		is.Equal(r.StatusCode, http.StatusOK)
		is.True(strings.Contains(string(body), "https://mcp.example.com/files/mcp"))

		for _, path := range []string{"/mcp", "/mail/metrics", "/metrics", "/files/healthz", "/mail/mcp/x"} {
			r, err := f.client.Get(f.url + path)
			is.NoErr(err)
			is.NoErr(r.Body.Close())
			is.Equal(r.StatusCode, http.StatusNotFound)
		}
	})
}
