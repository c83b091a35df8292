package natscluster_test

import (
	"crypto/tls"
	"crypto/x509"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/matryer/is"
	"github.com/nats-io/jwt/v2"
	natsserver "github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"

	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/httpdtest"
	"github.com/mcp-bash/mcp-bash/v2/internal/natscluster"
)

func TestTheConnectionHasItsOwnTLS(t *testing.T) {
	is := is.New(t)
	cert, key := httpdtest.Certificate(t)
	pair, err := tls.LoadX509KeyPair(cert, key)
	is.NoErr(err)
	pool := x509.NewCertPool()
	text, err := os.ReadFile(cert)
	is.NoErr(err)
	is.True(pool.AppendCertsFromPEM(text))
	b := newBroker(t, func(o *natsserver.Options) {
		o.TLSConfig = &tls.Config{Certificates: []tls.Certificate{pair}, ClientCAs: pool, ClientAuth: tls.RequireAndVerifyClientCert}
	})
	options := natscluster.Options{URL: b.server.ClientURL(), Name: "test", CA: cert, Cert: cert, Key: key, Keep: time.Hour, Log: slog.New(slog.DiscardHandler)}
	c, err := natscluster.Connect(t.Context(), options)
	is.NoErr(err)
	defer c.Close()
	first, err := c.Use(t.Context(), "a", time.Now().Add(time.Hour))
	is.NoErr(err)
	is.True(first)
	for _, spoil := range []func(*natscluster.Options){
		func(o *natscluster.Options) { o.CA = "" },              // the server is not trusted
		func(o *natscluster.Options) { o.Cert, o.Key = "", "" }, // nor is the client
	} {
		o := options
		spoil(&o)
		_, err := natscluster.Connect(t.Context(), o)
		is.True(err != nil)
	}
}

func TestTheConnectionHasItsOwnCredentials(t *testing.T) {
	is := is.New(t)
	operator, err := nkeys.CreateOperator()
	is.NoErr(err)
	public := func(k nkeys.KeyPair) string {
		p, err := k.PublicKey()
		is.NoErr(err)
		return p
	}
	account, err := nkeys.CreateAccount()
	is.NoErr(err)
	claims := jwt.NewAccountClaims(public(account))
	claims.Limits.JetStreamLimits = jwt.JetStreamLimits{MemoryStorage: -1, DiskStorage: -1, Streams: -1, Consumer: -1}
	text, err := claims.Encode(operator)
	is.NoErr(err)
	resolver := &natsserver.MemAccResolver{}
	is.NoErr(resolver.Store(public(account), text))
	system, err := nkeys.CreateAccount()
	is.NoErr(err)
	systemText, err := jwt.NewAccountClaims(public(system)).Encode(operator)
	is.NoErr(err)
	is.NoErr(resolver.Store(public(system), systemText))
	b := newBroker(t, func(o *natsserver.Options) {
		o.TrustedKeys, o.AccountResolver, o.SystemAccount = []string{public(operator)}, resolver, public(system)
	})

	user, err := nkeys.CreateUser()
	is.NoErr(err)
	userText, err := jwt.NewUserClaims(public(user)).Encode(account)
	is.NoErr(err)
	seed, err := user.Seed()
	is.NoErr(err)
	file, err := jwt.FormatUserConfig(userText, seed)
	is.NoErr(err)
	creds := filepath.Join(t.TempDir(), "mcp.creds")
	is.NoErr(os.WriteFile(creds, file, 0o600))

	options := natscluster.Options{URL: b.server.ClientURL(), Name: "test", Creds: creds, Keep: time.Hour, Log: slog.New(slog.DiscardHandler)}
	c, err := natscluster.Connect(t.Context(), options)
	is.NoErr(err)
	defer c.Close()
	first, err := c.Use(t.Context(), "a", time.Now().Add(time.Hour))
	is.NoErr(err)
	is.True(first)
	options.Creds = ""
	_, err = natscluster.Connect(t.Context(), options)
	is.True(err != nil)
}
