//go:build unix

package proxy

import (
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/matryer/is"
	natsserver "github.com/nats-io/nats-server/v2/server"

	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/httpdtest"
)

// natsConfiguration is the file for nats-server that operators copy.
const natsConfiguration = "../../examples/proxy/nats/nats-server.conf"

func TestTheUsersOfNATSMayDoWhatTheManualSays(t *testing.T) {
	is := is.New(t)
	file, err := os.ReadFile(natsConfiguration)
	is.NoErr(err)
	page, err := os.ReadFile("../../docs/SECURITY.md")
	is.NoErr(err)
	_, accounts, ok := strings.Cut(string(file), "\naccounts {")
	is.True(ok)
	is.True(strings.Contains(string(page), "\naccounts {"+accounts)) // copy the block from docs/SECURITY.md
}

func TestReplicasMayDoTheSameWhereverNATSIsConfigured(t *testing.T) {
	is := is.New(t)
	users := func(conf string) map[string]*natsserver.Permissions {
		dir := t.TempDir()
		_, conf, ok := strings.Cut(conf, "accounts {")
		is.True(ok)
		conf, _, _ = strings.Cut(conf, "\n---\n")
		file := filepath.Join(dir, "nats.conf")
		is.NoErr(os.WriteFile(file, []byte("include passwords.conf\naccounts {"+conf), 0o600))
		var passwords string // NATS refuses those that it does not use
		for _, name := range regexp.MustCompile(`password: \$(\w+)`).FindAllStringSubmatch(conf, -1) {
			passwords += name[1] + ": \"p\"\n"
		}
		is.NoErr(os.WriteFile(filepath.Join(dir, "passwords.conf"), []byte(passwords), 0o600))
		o, err := natsserver.ProcessConfigFile(file)
		is.NoErr(err)
		found := make(map[string]*natsserver.Permissions)
		for _, u := range o.Users {
			found[u.Username] = u.Permissions
		}
		return found
	}
	of := func(file string) map[string]*natsserver.Permissions {
		text, err := os.ReadFile(file)
		is.NoErr(err)
		return users(string(text))
	}
	manual := of(natsConfiguration)
	compose := of("../../examples/proxy/compose/nats.conf")
	is.Equal(compose["replica"], manual["replica"])
	is.Equal(of("../../examples/proxy/kubernetes/mcp-bash.yaml"), compose)
	is.Equal(len(compose), 2)
	is.Equal(compose["worker"].Publish.Allow, []string{"mcp-bash.work.r.>"}) // never what replicas send
}

func TestReplicasAndWorkersWorkTogetherWithTheCredentialsOfTheirUsers(t *testing.T) {
	is := is.New(t)
	dir := t.TempDir()
	cert, key := httpdtest.Certificate(t)
	text, err := os.ReadFile(natsConfiguration)
	is.NoErr(err)
	conf := strings.NewReplacer("0.0.0.0:4222", "127.0.0.1:-1", "/var/lib/nats", dir, "nats.pem", cert, "nats.key", key).Replace(string(text))
	at := func(name string) string { return filepath.Join(dir, name) }
	for name, content := range map[string]string{
		"nats-server.conf": conf, "state.key": "32 bytes that are not a secret..", "token": strings.Repeat("t", 32),
		"passwords.conf": "REPLICA_PASSWORD: \"1e2\"\nFORGE_1_PASSWORD: \"22\"\nFORGE_2_PASSWORD: \"33\"\nTOP_PASSWORD: \"4\"\n",
		"replica.creds":  "replica:1e2\n", "forge-1.creds": "forge-1:22\n", "top.creds": "top:4\n",
	} {
		is.NoErr(os.WriteFile(at(name), []byte(content), 0o600))
	}
	options, err := natsserver.ProcessConfigFile(at("nats-server.conf"))
	is.NoErr(err)
	options.NoLog, options.NoSigs = true, true
	broker, err := natsserver.NewServer(options)
	is.NoErr(err)
	go broker.Start()
	t.Cleanup(func() { broker.Shutdown(); broker.WaitForShutdown() })
	is.True(broker.ReadyForConnections(time.Minute))
	nats := "tls://" + broker.Addr().(*net.TCPAddr).String()

	notes, project := t.TempDir(), httpdtest.Project(t, tools)
	as := func(user string, args ...string) *exec.Cmd {
		cmd := exec.Command(program, append(args, "--cluster", nats, "--cluster-name", "mcp-bash", "--cluster-ca", cert, "--cluster-creds", at(user+".creds"))...)
		cmd.Env = append(os.Environ(), "MCPBASH_STATE_KEY_FILE="+at("state.key"), "MCP_E2E_NOTES="+notes)
		return cmd
	}
	r := start(t, "a", as("replica", "--project", project, "--listen", "127.0.0.1:0", "--production", "--replica", "a",
		"--use-workers", "--token-file", at("token")))
	worker := as("forge-1", "--project", project, "--worker", "--replica", "forge-1", "--slots", "2")
	is.NoErr(worker.Start())
	t.Cleanup(func() {
		_ = worker.Process.Signal(os.Interrupt)
		_ = worker.Wait()
	})
	q := request(t, "http://"+r.address+"/mcp", "note", `{"id":"one"}`)
	q.Header.Set("Authorization", "Bearer "+strings.Repeat("t", 32))
	answer, err := http.DefaultClient.Do(q)
	is.NoErr(err)
	defer answer.Body.Close()
	is.Equal(answer.StatusCode, http.StatusOK)
	ran, err := os.ReadFile(filepath.Join(notes, "runs"))
	is.NoErr(err)
	is.Equal(string(ran), "one\n")
	seen, err := as("top", "top").Output()
	is.NoErr(err)
	is.True(strings.Contains(string(seen), "forge-1"))
}
