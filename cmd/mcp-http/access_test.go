package main

import (
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/matryer/is"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/httpdtest"
	"github.com/mcp-bash/mcp-bash/v2/internal/waittest"
)

func TestAClientNeedsTheToken(t *testing.T) {
	is := is.New(t)
	token := filepath.Join(t.TempDir(), "token")
	const secret = "0123456789abcdef0123456789abcdef"
	is.NoErr(os.WriteFile(token, []byte(secret+"\n"), 0o600))
	r := start(t, "--project", greeter(t), "--token-file", token)
	for _, path := range []string{"/mcp", "/sse", "/messages", "/metrics"} {
		status, _ := get(t, r.base+path)
		is.Equal(status, 401)
	}
	status, _ := get(t, r.base+"/healthz")
	is.Equal(status, 200)
	is.Equal(text(t, httpdtest.Visit(t, r.url, "2025-11-25", &http.Client{Transport: bearer(secret)}), "greet"), "hello\n")
}

func TestAProbeMayNameAnyHost(t *testing.T) {
	is := is.New(t)
	token := filepath.Join(t.TempDir(), "token")
	const secret = "0123456789abcdef0123456789abcdef"
	is.NoErr(os.WriteFile(token, []byte(secret), 0o600))
	r := start(t, "--project", greeter(t), "--token-file", token)
	for path, want := range map[string]int{"/healthz": 200, "/metrics": 200, "/mcp": 403} {
		q, err := http.NewRequest("GET", r.base+path, nil)
		is.NoErr(err)
		q.Host = "10.244.0.5:8080"
		q.Header.Set("Authorization", "Bearer "+secret)
		answer, err := http.DefaultClient.Do(q)
		is.NoErr(err)
		answer.Body.Close()
		is.Equal(answer.StatusCode, want)
	}
	conn, err := net.Dial("tcp", strings.TrimPrefix(r.base, "http://"))
	is.NoErr(err)
	defer conn.Close()
	_, err = io.WriteString(conn, "GET /healthz HTTP/1.0\r\n\r\n") // as load balancers do
	is.NoErr(err)
	answer, err := io.ReadAll(conn)
	is.NoErr(err)
	is.True(strings.HasPrefix(string(answer), "HTTP/1.0 200 "))
}

func TestThePageOfAToolIsThereForThoseWhoMayCallIt(t *testing.T) {
	is := is.New(t)
	token, root := filepath.Join(t.TempDir(), "token"), httpdtest.Project(t, map[string]string{
		"server.d/server.meta.json":   `{"name":"s"}`,
		"tools/admin/tool.sh":         "#!/bin/sh\n",
		"tools/admin/tool.meta.json":  `{"name":"root","requiredScopes":["ops"]}`,
		"tools/admin/ui/index.html":   "<p>keys</p>",
		"tools/public/tool.sh":        "#!/bin/sh\n",
		"ui/shared/index.html":        "<p>keys</p>",
		"ui/shared/ui.meta.json":      `{"requiredScopes":["ops"]}`,
		"tools/public/ui/index.html":  "<p>all</p>",
		"tools/broken/tool.sh":        "#!/bin/sh\n",
		"tools/broken/tool.meta.json": `{"requiredScopes":"ops"}`,
		"tools/broken/ui/index.html":  "<p>keys</p>",
	})
	ada, bob := strings.Repeat("a", 32), strings.Repeat("b", 32)
	is.NoErr(os.WriteFile(token, []byte("ada "+ada+" scopes=ops\nbob "+bob+"\n"), 0o600))
	r := start(t, "--project", root, "--token-file", token)
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		for secret, sees := range map[string]string{ada: "ui://s/admin ui://s/public ui://s/shared", bob: "ui://s/public"} {
			session := httpdtest.Visit(t, r.url, revision, &http.Client{Transport: bearer(secret)})
			list, err := session.ListResources(t.Context(), nil)
			is.NoErr(err)
			var pages []string
			for _, o := range list.Resources {
				if strings.HasPrefix(o.URI, "ui:") {
					pages = append(pages, o.URI)
				}
			}
			is.Equal(strings.Join(pages, " "), sees)
			_, missing := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "ui://s/none"})
			for _, uri := range []string{"ui://s/admin", "ui://other/admin", "UI://s/admin", "ui://s/shared", "ui://s/broken", "ui://s/public"} {
				_, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
				if revision == "2025-11-25" {
					subscribed := session.Subscribe(t.Context(), &mcp.SubscribeParams{URI: uri})
					is.Equal(subscribed == nil, err == nil)
				}
				if secret == ada && uri != "ui://s/broken" || uri == "ui://s/public" {
					is.NoErr(err)
				} else {
					is.Equal(strings.ReplaceAll(err.Error(), uri, "ui://s/none"), missing.Error()) // as if it were not there
				}
			}
		}
	}
}

func TestAPageOfAnotherOriginIsRefused(t *testing.T) {
	is := is.New(t)
	r := start(t, "--project", greeter(t))
	for _, path := range []string{"/mcp", "/sse", "/messages", "/metrics"} {
		q, err := http.NewRequest("GET", r.base+path, nil)
		is.NoErr(err)
		q.Header.Set("Origin", "https://evil.example")
		answer, err := http.DefaultClient.Do(q)
		is.NoErr(err)
		answer.Body.Close()
		is.Equal(answer.StatusCode, 403)
	}
}

func TestWhatCannotBeServedIsRefusedWithAReason(t *testing.T) {
	project, short := greeter(t), filepath.Join(t.TempDir(), "token")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(short, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ args, want string }{
		{"", "nothing to serve: give --project DIR, or a command after --"},
		{"--project P -- cat", "give either --project or a command after --, not both"},
		{"--project P --interceptors rules", "--interceptors is for a command after --"},
		{"--interceptors /nowhere -- cat", "interceptors: open /nowhere"},
		{"cat", `unexpected argument "cat"; write -- in front of a command`},
		{"--nope", "unknown flag: --nope; `mcp-http --help` lists all"},
		{"--project /nowhere", "--project /nowhere: "},
		{"-- no-such-program-anywhere", "no-such-program-anywhere cannot be started: "},
		{"--project P --listen 0.0.0.0:0", "--listen 0.0.0.0:0: other machines could use it; give --token-file or --oauth-issuer"},
		{"--project P --listen :0", "--listen :0: other machines could use it"},
		{"--project P --listen here", "--listen here: "},
		{"--project P --token-file " + short, "the token has 6 characters, and must have at least 32"},
		{"--project P --token-file /nowhere", "--token-file /nowhere: open /nowhere: "},
		{"--project P --oauth-issuer https://issuer.example", "--oauth-resource is missing"},
		{"--project P --oauth-scope a", "--oauth-issuer is missing"},
		{"--project P --oauth-issuer http://issuer.example --oauth-resource https://a.example/mcp", "must be an https URL"},
		{"--project P --tls-cert a", "--tls-cert and --tls-key need each other"},
		{"--project P --tls-cert /nowhere --tls-key /nowhere", "--tls-cert, --tls-key: open /nowhere: "},
		{"--project P --trust-network --token-file " + short, "--trust-network lets in requests without a token"},
		{"--project P --cluster-ca a", "--cluster is missing"},
		{"--cluster nats://127.0.0.1:1 -- cat", "--cluster needs --project"},
		{"--project P --cluster nats://127.0.0.1:1", "--cluster: set MCPBASH_STATE_KEY_FILE"},
		{"--project P --cluster nats://127.0.0.1:1 --cluster-key a", "--cluster-cert and --cluster-key need each other"},
		{"--project P --worker", "--worker needs --cluster"},
		{"--project P --use-workers", "--use-workers needs --cluster"},
		{"--project P --cluster nats://127.0.0.1:1 --worker --use-workers", "give one of --worker and --use-workers only"},
		{"--project P --cluster nats://127.0.0.1:1 --worker --slots -1", "--slots must be 1 or more"},
		{"--project P --cluster nats://127.0.0.1:1 --worker", "--cluster: cannot use NATS"},
		{"top", "--cluster is missing"},
		{"top --cluster nats://127.0.0.1:1", "--cluster-name is missing"},
		{"--project P --record-steps", "--record-steps needs --record"},
		{"--project P --audit-arguments", "--audit-arguments needs --audit"},
		{"--project P --audit " + project, "--audit: open "},
		{"--project P --cluster nats://127.0.0.1:1 --worker --record x", "--record and --audit are not for workers"},
		{"--project P --max-waiting 0", "--max-waiting must be 1 or more"},
		{"--project P --max-bodies 1000", "--max-bodies 1000 is less than --max-body 16777216"},
		{"--project P --replica a.b", "--replica a.b: must be 1 to 63 letters, digits, - or _"},
		{"--project P --max-sessions 0", "--max-sessions must be 1 or more"},
		{"--project P --allow-origin example.com", `origin "example.com": must be a scheme and a host`},
	} {
		t.Run(c.args, func(t *testing.T) {
			is := is.New(t)
			// In a process of its own, since a server takes unknown children of its process for what its
			// scripts have left behind, and those of the next tests would be among them.
			refused := exec.Command(self, strings.Fields(strings.ReplaceAll(c.args, " P", " "+project))...)
			refused.Env = append(refused.Environ(), "MCP_HTTP_PROGRAM=1")
			text, _ := refused.CombinedOutput() // the exit code says more than the error
			is.Equal(refused.ProcessState.ExitCode(), 2)
			is.True(strings.HasPrefix(string(text), "mcp-http: "))
			if !strings.Contains(string(text), c.want) {
				t.Errorf("%s", text)
			}
		})
	}
}

func TestAReplicaIsReadyWhileItReachesNATS(t *testing.T) {
	is := is.New(t)
	broker := newBroker(t)
	r := start(t, "--project", greeter(t), "--cluster", broker.ClientURL(), "--replica", "a")
	status, body := get(t, r.base+"/readyz")
	is.Equal(status, 200)
	is.Equal(body, "ok\n")
	broker.Shutdown()
	waittest.Until(t, "the replica says what it lacks", func() bool {
		status, body := get(t, r.base+"/readyz")
		return status == 503 && body == "NATS cannot be reached\n"
	})
	status, _ = get(t, r.base+"/healthz")
	is.Equal(status, 200) // a restart would not help
}
