package natscluster

import (
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
)

// Dial returns a connection for calls of tools, without buckets; see the package calls. It reconnects by
// itself. While it is disconnected, publishing fails at once.
func Dial(o Options) (*nats.Conn, error) {
	conn, err := o.dial(
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			o.Log.Warn("the connection with NATS is lost; no call can be sent to a worker or taken from a replica", "error", err)
		}),
		nats.ReconnectHandler(func(*nats.Conn) { o.Log.Info("the connection with NATS is back") }),
	)
	return conn, readable(err)
}

func (o Options) dial(more ...nats.Option) (*nats.Conn, error) {
	if !validName.MatchString(o.Name) {
		return nil, fmt.Errorf("the name %q must be 1 to 32 letters, digits, - or _", o.Name)
	}
	with := append(more,
		nats.Name("mcp-bash "+o.Name),
		nats.Timeout(wait),
		nats.MaxReconnects(-1),
		nats.IgnoreAuthErrorAbort(), // credentials may be renewed, here or there
		nats.ReconnectBufSize(-1),   // a message that was given up must not be sent later
		nats.PingInterval(10*time.Second),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			o.Log.Warn("NATS reports an error", "error", err)
		}),
	)
	if o.CA != "" {
		with = append(with, nats.RootCAs(o.CA))
	}
	if o.Cert != "" {
		with = append(with, nats.ClientCert(o.Cert, o.Key))
	}
	if o.Creds != "" {
		with = append(with, nats.UserCredentials(o.Creds))
	}
	return nats.Connect(o.URL, with...)
}
