package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"regexp"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcp-bash/mcp-bash/v2/internal/catalog"
	"github.com/mcp-bash/mcp-bash/v2/internal/natscluster"
	"github.com/mcp-bash/mcp-bash/v2/internal/round"
	"github.com/mcp-bash/mcp-bash/v2/server"
)

// clusterOptions holds how NATS is reached.
type clusterOptions struct {
	url, name            string
	ca, cert, key, creds string // files
	copies               int
}

func (o *clusterOptions) flags(cmd *cobra.Command, purpose string) {
	f := cmd.Flags()
	f.StringVar(&o.url, "cluster", "", purpose)
	f.StringVar(&o.name, "cluster-name", "", "the `name` that all replicas and workers of this server have in common, "+
		"which buckets and subjects in NATS begin with; theirs by default comes from the name of the project")
	f.StringVar(&o.ca, "cluster-ca", "", "trust NATS servers with certificates of the authorities in this `file`")
	f.StringVar(&o.cert, "cluster-cert", "", "the certificate for NATS in this `file`")
	f.StringVar(&o.key, "cluster-key", "", "and its key in this `file`")
	f.StringVar(&o.creds, "cluster-creds", "",
		"the credentials for NATS in this `file`, which has USER:PASSWORD or is one of nsc; "+
			"it is read again when they are renewed")
}

// check returns what is wrong with the options.
func (o clusterOptions) check() error {
	switch {
	case o.url == "" && (o.ca != "" || o.cert != "" || o.key != "" || o.creds != ""):
		return errors.New("--cluster is missing: the URL of the NATS server")
	case (o.cert == "") != (o.key == ""):
		return errors.New("--cluster-cert and --cluster-key need each other")
	}
	return nil
}

// natsOptions returns the options to connect to NATS, after checking that the files it needs exist.
func (o clusterOptions) natsOptions(log *slog.Logger) (natscluster.Options, error) {
	for _, file := range []struct{ flag, path string }{
		{"ca", o.ca}, {"cert", o.cert}, {"key", o.key}, {"creds", o.creds},
	} {
		if file.path == "" {
			continue
		}
		if _, err := os.Stat(file.path); err != nil {
			return natscluster.Options{}, fmt.Errorf("--cluster-%s: %w", file.flag, err)
		}
	}
	return natscluster.Options{URL: o.url, Name: o.name, CA: o.ca, Cert: o.cert, Key: o.key, Creds: o.creds, Log: log}, nil
}

// join makes a server one of several replicas, if the options ask for it. disconnect is called when
// the server is closed.
func (o options) join(ctx context.Context, to *server.Options, log *slog.Logger) (disconnect func(), err error) {
	if o.cluster.url == "" {
		return func() {}, nil
	}
	if to.StateKeyFile == "" {
		return nil, errors.New("--cluster: set MCPBASH_STATE_KEY_FILE to a file with the same 32 bytes on all machines: " +
			"with its own key each replica refuses the answers to questions of the others")
	}
	if _, err := round.LoadKey(to.StateKeyFile); err != nil {
		return nil, fmt.Errorf("--cluster: MCPBASH_STATE_KEY_FILE: %w", err)
	}
	with, err := o.cluster.natsOptions(log)
	if err != nil {
		return nil, err
	}
	with.Copies = o.cluster.copies
	with.Keep = max(to.Limits.Resolved().TaskLife, time.Minute) + time.Minute
	cluster, err := natscluster.Connect(ctx, with)
	if err != nil {
		return nil, fmt.Errorf("--cluster: cannot use NATS: %w; check that it runs with JetStream, and the URL, TLS and "+
			"credentials", err)
	}
	to.Cluster = cluster
	end, err := o.share(to, with, log)
	if err != nil {
		cluster.Close()
		return nil, err
	}
	return func() {
		end()
		cluster.Close()
	}, nil
}

// nameFor returns what the cluster of a project is called: as --cluster-name says, else as its server, in characters
// that NATS allows. Names that would then be the same are told apart.
func (o clusterOptions) nameFor(project server.Options) (string, error) {
	if o.url == "" || o.name != "" {
		return o.name, nil
	}
	p, err := catalog.Open(project.ProjectRoot, catalog.Options{
		Folders: catalog.Folders(project.Folders), Named: catalog.Named(project.Identity), Logger: project.Log,
	})
	if err != nil {
		return "", fmt.Errorf("--project %s: %w", project.ProjectRoot, err)
	}
	id, _ := p.Identity() // its faults are logged when it is served
	return inSubjects(id.Name), nil
}

const (
	longestName = 32 // of a cluster
	nameDigits  = 8  // that tell names apart
)

func inSubjects(name string) string {
	plain := notInNames.ReplaceAllString(name, "-")
	if plain == name && len(name) <= longestName {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	return plain[:min(len(plain), longestName-nameDigits-1)] + "-" + hex.EncodeToString(sum[:])[:nameDigits]
}

var notInNames = regexp.MustCompile(`[^A-Za-z0-9_-]`)

// replicaName returns the prefix of session ids, "" for none.
func (o options) replicaName() string {
	if o.replica != "" || o.cluster.url == "" {
		return o.replica
	}
	host, err := os.Hostname()
	if err != nil {
		return ""
	}
	name := notInNames.ReplaceAllString(host, "-")
	return name[:min(len(name), 63)]
}
