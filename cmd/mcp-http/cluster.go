package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"regexp"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/natscluster"
	"github.com/mcp-bash/mcp-bash/v2/internal/round"
	"github.com/mcp-bash/mcp-bash/v2/server"
)

// join makes a server one of several replicas, if the options say so. The function that it returns
// is called when the server is closed.
func (o options) join(ctx context.Context, to *server.Options, log *slog.Logger) (disconnect func(), err error) {
	if o.cluster == "" {
		return func() {}, nil
	}
	if to.StateKeyFile == "" {
		return nil, errors.New("--cluster: set MCPBASH_STATE_KEY_FILE to a file with the same 32 bytes on all machines: with its own key each replica refuses the answers to questions of the others")
	}
	if _, err := round.LoadKey(to.StateKeyFile); err != nil {
		return nil, fmt.Errorf("--cluster: MCPBASH_STATE_KEY_FILE: %w", err)
	}
	for _, file := range []struct{ flag, path string }{
		{"ca", o.clusterCA}, {"cert", o.clusterCert}, {"key", o.clusterKey}, {"creds", o.credentials},
	} {
		if file.path == "" {
			continue
		}
		if _, err := os.Stat(file.path); err != nil {
			return nil, fmt.Errorf("--cluster-%s: %w", file.flag, err)
		}
	}
	cluster, err := natscluster.Connect(ctx, natscluster.Options{
		URL: o.cluster, Name: o.clusterName,
		CA: o.clusterCA, Cert: o.clusterCert, Key: o.clusterKey, Creds: o.credentials,
		Keep: max(to.Limits.Resolved().TaskLife, time.Minute) + time.Minute, Log: log,
	})
	if err != nil {
		return nil, fmt.Errorf("--cluster: cannot use NATS: %w; check that it runs with JetStream, and the URL, TLS and credentials", err)
	}
	to.Cluster = cluster
	return cluster.Close, nil
}

var notInNames = regexp.MustCompile(`[^A-Za-z0-9_-]`)

// replicaName returns what ids of sessions begin with, "" for nothing.
func (o options) replicaName() string {
	if o.replica != "" || o.cluster == "" {
		return o.replica
	}
	host, err := os.Hostname()
	if err != nil {
		return ""
	}
	name := notInNames.ReplaceAllString(host, "-")
	return name[:min(len(name), 63)]
}
