package natscluster

import (
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
)

// maxCredentials is the maximum length of a file of credentials, in bytes.
const maxCredentials = 64 << 10

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
		nats.ReconnectWait(100*time.Millisecond), // a server that restarts is missed for no longer than it is gone
		nats.ReconnectJitter(150*time.Millisecond, 150*time.Millisecond),
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
		user, err := credentials(o.Creds)
		if err != nil {
			return nil, err
		}
		with = append(with, user)
	}
	return nats.Connect(o.URL, with...)
}

// credentials returns the option for a file of credentials, as `nsc` writes them, or with USER:PASSWORD, so that the
// password is not in the URL, which everybody on the machine can see. It is read again for each connection.
func credentials(file string) (nats.Option, error) {
	text, err := files.Read(file, maxCredentials)
	if err != nil {
		return nil, err
	}
	if strings.Contains(string(text), "-----BEGIN") {
		return nats.UserCredentials(file), nil
	}
	user, password, ok := login(text)
	if !ok {
		return nil, fmt.Errorf("%s: must be a file of credentials for NATS, or have one line USER:PASSWORD", file)
	}
	return nats.UserInfoHandler(func() (string, string) {
		if text, err := files.Read(file, maxCredentials); err == nil {
			if newUser, newPassword, ok := login(text); ok {
				return newUser, newPassword
			}
		}
		return user, password
	}), nil
}

// login returns the user and the password in a text.
func login(text []byte) (user, password string, ok bool) {
	user, password, _ = strings.Cut(strings.TrimSpace(string(text)), ":")
	return user, password, user != "" && password != "" && !strings.ContainsAny(password, "\r\n")
}
