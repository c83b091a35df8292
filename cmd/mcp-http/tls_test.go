package main

import (
	"crypto/tls"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/httpdtest"
)

func TestClientsReachTheServerOverHTTPS(t *testing.T) {
	is := is.New(t)
	cert, key := httpdtest.Certificate(t)
	r := start(t, "--project", greeter(t), "--tls-cert", cert, "--tls-key", key)
	is.True(strings.HasPrefix(r.url, "https://"))
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		is.Equal(text(t, httpdtest.Visit(t, r.url, version, httpdtest.Trusting(t, cert)), "greet"), "hello\n")
	}
	healthz, err := httpdtest.Trusting(t, cert).Get(r.base + "/healthz")
	is.NoErr(err)
	is.NoErr(healthz.Body.Close())
	is.Equal(healthz.Proto, "HTTP/2.0") // on which many streams share a connection
	is.Equal(healthz.TLS.Version, uint16(tls.VersionTLS13))
	_, err = http.Get(r.base + "/healthz")
	is.True(err != nil) // nobody has said that this client trusts the certificate
	plain, err := http.Get("http" + strings.TrimPrefix(r.base, "https") + "/healthz")
	is.NoErr(err)
	body, err := io.ReadAll(plain.Body)
	is.NoErr(err)
	is.NoErr(plain.Body.Close())
	is.Equal(plain.StatusCode, 400)
	is.True(!strings.Contains(string(body), "ok"))
	old := &tls.Config{MaxVersion: tls.VersionTLS11, InsecureSkipVerify: true}
	_, err = tls.Dial("tcp", strings.TrimPrefix(r.base, "https://"), old)
	is.True(err != nil)
}

func TestARenewedCertificateIsServedWithoutARestart(t *testing.T) {
	is := is.New(t)
	cert, key := httpdtest.Certificate(t)
	r := start(t, "--project", greeter(t), "--tls-cert", cert, "--tls-key", key)
	reach := func(c *http.Client) error {
		answer, err := c.Get(r.base + "/healthz")
		if err == nil {
			answer.Body.Close()
		}
		return err
	}
	before := httpdtest.Trusting(t, cert)
	is.NoErr(reach(before))
	next, nextKey := httpdtest.Certificate(t)
	for i, move := range []struct{ from, to string }{{next, cert}, {nextKey, key}} {
		text, err := os.ReadFile(move.from)
		is.NoErr(err)
		is.NoErr(os.WriteFile(move.to, text, 0o600))
		later := time.Now().Add(time.Duration(i+1) * time.Hour) // whatever the clock of the file system can tell
		is.NoErr(os.Chtimes(move.to, later, later))
		if before.CloseIdleConnections(); move.to == cert {
			is.NoErr(reach(before)) // half of it is not used
		}
	}
	is.NoErr(reach(httpdtest.Trusting(t, next)))
	is.True(reach(before) != nil)
}

func TestBehindAGatewayThatChecksWhoCallsNoTokenIsNeeded(t *testing.T) {
	is := is.New(t)
	r := start(t, "--project", greeter(t), "--listen", "0.0.0.0:0", "--trust-network", "--allow-host", "pod-0.pods.example")
	base := strings.Replace(r.base, "[::]", "127.0.0.1", 1)
	base = strings.Replace(base, "0.0.0.0", "127.0.0.1", 1)
	for host, want := range map[string]int{"pod-0.pods.example:8000": 405, "localhost": 405, "evil.example": 403} {
		q, err := http.NewRequestWithContext(t.Context(), "PUT", base+"/mcp", nil)
		is.NoErr(err)
		q.Host = host // which still keeps web pages out
		a, err := http.DefaultClient.Do(q)
		is.NoErr(err)
		is.NoErr(a.Body.Close())
		is.Equal(a.StatusCode, want)
	}
}
