package natscluster_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"log/slog"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/matryer/is"
	"github.com/nats-io/jwt/v2"
	natsserver "github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"

	"github.com/mcp-bash/mcp-bash/v2/internal/natscluster"
)

// certificate makes a certificate that is its own authority, for servers and clients on this
// machine, and returns the files that it is in.
func certificate(t *testing.T) (cert, key string) {
	t.Helper()
	is := is.New(t)
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	is.NoErr(err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	public, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	is.NoErr(err)
	encoded, err := x509.MarshalPKCS8PrivateKey(private)
	is.NoErr(err)
	dir := t.TempDir()
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	is.NoErr(os.WriteFile(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: public}), 0o600))
	is.NoErr(os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: encoded}), 0o600))
	return cert, key
}

func TestTheConnectionHasItsOwnTLS(t *testing.T) {
	is := is.New(t)
	cert, key := certificate(t)
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
