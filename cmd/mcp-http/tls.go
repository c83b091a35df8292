package main

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"
)

// tls returns the configuration of HTTPS, nil for plain HTTP.
func (o options) tls(log *slog.Logger) (*tls.Config, error) {
	if o.tlsCert == "" {
		return nil, nil
	}
	c := &certificate{cert: o.tlsCert, key: o.tlsKey, log: log}
	if err := c.load(); err != nil {
		return nil, fmt.Errorf("--tls-cert, --tls-key: %w", err)
	}
	return &tls.Config{
		GetCertificate: c.get,
		NextProtos:     []string{"h2", "http/1.1"},
		MinVersion:     tls.VersionTLS12,
	}, nil
}

// A certificate is read from files, which may be replaced by newer ones while the server runs.
type certificate struct {
	cert, key string
	log       *slog.Logger

	mu     sync.Mutex
	pair   *tls.Certificate
	stamps [2]time.Time // of the files when they were read
}

// get returns the certificate for a connection. If newer files are not valid, the previous
// certificate stays in use.
func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.changed() {
		if err := c.load(); err != nil {
			c.log.Warn("the certificate cannot be renewed; the previous one stays in use", "error", err)
		} else {
			c.log.Info("the certificate is renewed", "file", c.cert)
		}
	}
	return c.pair, nil
}

// load reads the files.
func (c *certificate) load() error {
	stamps := c.now()
	pair, err := tls.LoadX509KeyPair(c.cert, c.key)
	c.stamps = stamps // set for invalid files too, so that they are not read again for each connection
	if err == nil {
		c.pair = &pair
	}
	return err
}

func (c *certificate) changed() bool { return c.now() != c.stamps }

// now returns the modification times of the files, zero for a missing file.
func (c *certificate) now() (stamps [2]time.Time) {
	for i, file := range []string{c.cert, c.key} {
		if info, err := os.Stat(file); err == nil {
			stamps[i] = info.ModTime()
		}
	}
	return stamps
}
