package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/serving"
	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/metrics"
	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/session"
	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/telemetry"
	"github.com/mcp-bash/mcp-bash/v2/internal/natscluster/calls"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/server"
)

// A usageError is a fault in how the program was called or set up: exit code 2.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// execute is the whole program. It returns the exit code.
func execute(args []string, stderr *os.File, environ []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	cmd := command(ctx, os.Stdout, stderr, environ)
	cmd.SetArgs(args)
	err := cmd.Execute()
	if err == nil {
		return 0
	}
	fmt.Fprintf(stderr, "mcp-http: %s\n", console.Plain(err.Error()))
	if errors.As(err, new(usageError)) {
		return 2
	}
	return 1
}

// options are those of the command line.
type options struct {
	project      string
	interceptors string                                        // a folder, for a command
	intercepted  func(interceptor, outcome string, audit bool) // counts what they do
	counted      *metrics.Metrics                              // of a replica
	telemetry    *telemetry.Telemetry                          // nil: OpenTelemetry is off
	command      []string                                      // with its arguments; nil if a project is served
	listen       string
	production   bool

	trustNetwork  bool
	proxies       []string
	tokenFile     string
	oauthIssuer   string
	oauthResource string
	oauthAudience string
	oauthJWKS     string
	oauthScopes   []string
	tlsCert       string
	tlsKey        string
	allowOrigins  []string
	allowHosts    []string

	replica    string
	cluster    clusterOptions
	useWorkers bool
	maxWaiting int
	maxWait    time.Duration
	patience   time.Duration
	worker     bool
	slots      int

	maxSessions    int
	callerSessions int
	maxRequests    int
	callerRequests int
	maxBodies      int
	maxProcesses   int
	maxBody        int
	maxBuffer      int
	keep           int
	idle           time.Duration
	grace          time.Duration
	streamAfter    time.Duration
	keepAlive      time.Duration

	record         serving.Recorder
	audit          string
	auditArguments bool
	placed         pipeline.Tracer // learns which workers have the calls; nil: nobody asks
	metricsListen  string
}

func command(ctx context.Context, stdout, stderr io.Writer, environ []string) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "mcp-http --project DIR | mcp-http [flags] -- COMMAND [ARG...]",
		Short: "Serve a project, or any MCP server on stdio, over HTTP",
		Long: `Serve a project of scripts over HTTP, or any MCP server that speaks stdio: a process for
each session, which ends with the session and with all that it has started.

    http://127.0.0.1:8080/mcp        Streamable HTTP: 2025-03-26, 2025-06-18, 2025-11-25 and,
                                     without sessions, 2026-07-28
    http://127.0.0.1:8080/sse        HTTP with SSE, for clients of 2024-11-05
    http://127.0.0.1:8080/healthz    200 while it serves; at its end it accepts no connections
    http://127.0.0.1:8080/readyz     the same, and with --cluster 503 while NATS cannot be reached
                                     or, with --use-workers, no worker is seen
    http://127.0.0.1:8080/metrics    counters for Prometheus

Only this machine can reach it unless --listen says otherwise, which needs --token-file,
--oauth-issuer or --trust-network. Web pages of other origins are refused. A project is served under the variables
that mcp-bash serve reads; see docs/ENVIRONMENT.md. docs/REMOTE.md is the guide.`,
		Example: `  mcp-http --project my-tools
  mcp-http -- npx -y @modelcontextprotocol/server-everything
  mcp-http --project my-tools --listen 0.0.0.0:8443 --tls-cert cert.pem --tls-key key.pem` +
			` --token-file token --production
  mcp-http --project my-tools --cluster nats://nats.example:4222 --replica a
  mcp-http --project my-tools --cluster nats://nats.example:4222 --replica a --use-workers
  mcp-http --project my-tools --cluster nats://nats.example:4222 --worker --slots 8`,
		Version:       server.Version,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if at := cmd.ArgsLenAtDash(); at > 0 || at < 0 && len(args) > 0 {
				return usageError{fmt.Errorf("unexpected argument %q; write -- in front of a command", args[0])}
			}
			o.command = args
			return o.run(ctx, stdout, stderr, environ)
		},
	}
	cmd.SetOut(stderr)
	cmd.SetErr(stderr)
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		return usageError{fmt.Errorf("%w; `mcp-http --help` lists all", err)}
	})
	cmd.CompletionOptions.DisableDefaultCmd = true
	cmd.SetHelpCommand(&cobra.Command{Hidden: true})
	cmd.AddCommand(topCommand(ctx, stdout))
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVarP(&o.project, "project", "C", "", "serve the project in this `folder`")
	f.StringVar(&o.interceptors, "interceptors", "",
		"with a command: apply the interceptors in `dir`, a project or a folder of them, in a client's order")
	f.StringVar(&o.listen, "listen", "127.0.0.1:8080", "`address` to listen on; with port 0 the system chooses one")
	f.BoolVar(&o.production, "production", false, "leave out the warning that this program is for local tests and demos")
	f.BoolVar(&o.trustNetwork, "trust-network", false,
		"let in requests of other machines without a token: only a gateway, which checks who calls, can reach the address")
	f.StringArrayVar(&o.proxies, "trusted-proxy", nil,
		"an `address`, or a range as 10.0.0.0/8, whose header X-Forwarded-For says where a request came from; "+
			"may be repeated")
	f.StringVar(&o.tokenFile, "token-file", "",
		"let in only requests with a bearer token of this `file`: one alone, or lines of a name and a token; "+
			"see docs/REMOTE.md")
	f.StringVar(&o.oauthIssuer, "oauth-issuer", "",
		"let in only requests with an access token of this authorization server (`URL`)")
	f.StringVar(&o.oauthResource, "oauth-resource", "",
		"the `URL` under which clients reach /mcp, which tokens are issued for")
	f.StringVar(&o.oauthAudience, "oauth-audience", "", "the audience of tokens, where it is not that `URL`")
	f.StringVar(&o.oauthJWKS, "oauth-jwks", "", "the `URL` of the issuer's keys, if its OpenID Connect metadata lacks it")
	f.StringArrayVar(&o.oauthScopes, "oauth-scope", nil, "a `scope` that tokens must have; may be repeated")
	f.StringVar(&o.tlsCert, "tls-cert", "",
		"serve HTTPS with the certificate in this `file`, which is read again when it is renewed")
	f.StringVar(&o.tlsKey, "tls-key", "", "and the key in this one")
	f.StringArrayVar(&o.allowOrigins, "allow-origin", nil,
		"let pages of this `origin` use the server, in addition to those of this machine; may be repeated")
	f.StringArrayVar(&o.allowHosts, "allow-host", nil,
		"a `name` of the server, in addition to localhost and the address that it listens on; may be repeated")
	f.StringVar(&o.replica, "replica", "", "the `name` of this replica or worker, which ids of sessions begin with, so "+
		"that a load balancer can route by them; with --cluster the name of the machine, if it is not given")
	o.cluster.flags(cmd, "be one of several replicas, which know of each other's tasks and answers through the NATS "+
		"server at this `URL`, as nats://nats.example:4222; several with commas between them")
	f.IntVar(&o.cluster.copies, "cluster-copies", 1,
		"NATS servers of a cluster that keep a copy of what replicas share; for buckets that are created")
	f.BoolVar(&o.useWorkers, "use-workers", false, "with --cluster: have the tools run by workers, not on this machine")
	f.IntVar(&o.maxWaiting, "max-waiting", calls.DefaultMaxWaiting,
		"with --use-workers: calls that may wait for a worker with a free slot; more are refused")
	f.DurationVar(&o.maxWait, "max-wait", calls.DefaultMaxWait,
		"with --use-workers: `time` that they may wait, then they are refused")
	f.DurationVar(&o.patience, "patience", calls.DefaultPatience, "with --use-workers and --worker: `time` that NATS, or "+
		"the other end of a call, may be out of reach until the call is given up")
	f.BoolVar(&o.worker, "worker", false, "with --cluster: be a worker, which serves no HTTP and runs the tools for "+
		"replicas with --use-workers")
	f.IntVar(&o.slots, "slots", 0, "with --worker: calls that run at once; 0: as MCPBASH_MAX_CONCURRENT_REQUESTS says")
	f.IntVar(&o.maxSessions, "max-sessions", 256,
		"sessions that may be open, of all transports together; more are refused with 503")
	f.IntVar(&o.callerSessions, "max-sessions-per-caller", 64,
		"sessions of them that one caller may have open, where tokens tell callers apart; more are refused with 503")
	f.IntVar(&o.maxRequests, "max-requests", 1024,
		"HTTP requests that may be open, streams among them; more are refused with 503")
	f.IntVar(&o.callerRequests, "max-requests-per-caller", 256,
		"HTTP requests of them that one caller may have open, where tokens tell callers apart; more are refused with 503")
	f.IntVar(&o.maxProcesses, "max-processes", 16,
		"processes of COMMAND for requests of 2026-07-28, which need no session")
	f.IntVar(&o.maxBody, "max-body", 16<<20, "`bytes` that a message of a client may have; more are refused with 413")
	f.IntVar(&o.maxBodies, "max-bodies", 256<<20,
		"`bytes` that the messages of all open requests may have together, those "+
			"of one caller a quarter of them; more are refused with 503")
	f.IntVar(&o.maxBuffer, "max-buffer", 64<<20, "`bytes` of a session that wait for its client; beyond, its server waits")
	f.IntVar(&o.keep, "keep", 1<<20, "`bytes` of a session that its client was sent and can ask for again")
	f.DurationVar(&o.idle, "idle", 30*time.Minute, "end a session without an open request after this `time`; 0: never")
	f.DurationVar(&o.grace, "grace", 10*time.Second,
		"`time` that requests may take to end when the program is asked to end")
	f.DurationVar(&o.streamAfter, "stream-after", 100*time.Millisecond,
		"`time` after which the response to a request of a session becomes a stream that can be resumed")
	f.DurationVar(&o.keepAlive, "keep-alive", 15*time.Second,
		"`time` after which a stream without an event gets a comment")
	f.StringVar(&o.audit, "audit", "",
		"append a line of JSON for each call and each refusal to this `file`, - for stdout; see docs/REMOTE.md")
	f.BoolVar(&o.auditArguments, "audit-arguments", false, "with --audit: write the arguments of calls, too")
	f.StringVar(&o.metricsListen, "metrics-listen", "",
		"serve /metrics at this `address` instead, without a token, and /healthz and /readyz, too; also of a worker")
	o.record.Flags(f)
	return cmd
}

// check returns what is wrong with the options.
func (o options) check() error {
	switch {
	case o.project == "" && len(o.command) == 0:
		return errors.New("nothing to serve: give --project DIR, or a command after --")
	case o.project != "" && len(o.command) > 0:
		return errors.New("give either --project or a command after --, not both")
	case o.interceptors != "" && o.project != "":
		return errors.New("--interceptors is for a command after --: a project has its own, in interceptors/")
	case o.trustNetwork && (o.tokenFile != "" || o.oauthIssuer != ""):
		return errors.New("--trust-network lets in requests without a token: leave out --token-file and --oauth-issuer, " +
			"or leave out --trust-network")
	case o.tokenFile != "" && o.oauthIssuer != "":
		return errors.New("give one of --token-file and --oauth-issuer only")
	case o.oauthIssuer == "" && (o.oauthResource != "" || o.oauthAudience != "" || o.oauthJWKS != "" ||
		len(o.oauthScopes) > 0):
		return errors.New("--oauth-issuer is missing: it names the authorization server")
	case o.oauthIssuer != "" && o.oauthResource == "":
		return errors.New("--oauth-resource is missing: the URL under which clients reach /mcp")
	case (o.tlsCert == "") != (o.tlsKey == ""):
		return errors.New("--tls-cert and --tls-key need each other")
	case o.cluster.url != "" && o.project == "":
		return errors.New("--cluster needs --project: what a command keeps in its memory cannot be shared")
	case o.cluster.url == "" && o.worker:
		return errors.New("--worker needs --cluster: the URL of the NATS server through which calls come")
	case o.cluster.url == "" && o.useWorkers:
		return errors.New("--use-workers needs --cluster: the URL of the NATS server through which calls go")
	case o.worker && o.useWorkers:
		return errors.New("give one of --worker and --use-workers only: a worker runs the tools itself")
	case o.worker && (o.record.File != "" || o.audit != ""):
		return errors.New("--record and --audit are not for workers: give them to the replicas, which have the clients")
	case o.slots < 0:
		return errors.New("--slots must be 1 or more, or 0 for the default")
	case o.maxBodies < o.maxBody:
		return fmt.Errorf("--max-bodies %d is less than --max-body %d: no message of that size could come in; "+
			"raise the first or lower the second", o.maxBodies, o.maxBody)
	case o.replica != "" && !session.ValidReplica(o.replica):
		return fmt.Errorf("--replica %s: must be 1 to 63 letters, digits, - or _", o.replica)
	}
	if err := o.cluster.check(); err != nil {
		return err
	}
	for _, bound := range []struct {
		flag  string
		value int
	}{
		{"max-sessions", o.maxSessions}, {"max-sessions-per-caller", o.callerSessions}, {"max-requests", o.maxRequests},
		{"max-requests-per-caller", o.callerRequests}, {"max-bodies", o.maxBodies}, {"max-processes", o.maxProcesses},
		{"max-body", o.maxBody}, {"max-buffer", o.maxBuffer}, {"keep", o.keep}, {"keep-alive", int(o.keepAlive)},
		{"max-waiting", o.maxWaiting}, {"max-wait", int(o.maxWait)}, {"patience", int(o.patience)},
		{"cluster-copies", o.cluster.copies},
	} {
		if bound.value < 1 {
			return fmt.Errorf("--%s must be 1 or more", bound.flag)
		}
	}
	for name, d := range map[string]time.Duration{"idle": o.idle, "grace": o.grace, "stream-after": o.streamAfter} {
		if d < 0 {
			return fmt.Errorf("--%s must be 0 or more", name)
		}
	}
	return nil
}

// demo is what the program prints at its start without --production.
var demo = strings.Join([]string{
	"mcp-http is for local tests and demos. In production, put a gateway in front of it that is",
	"run as one, and start it with --production; docs/REMOTE.md says what to look after.",
}, "\nmcp-http: ")
