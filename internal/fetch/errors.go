package fetch

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
)

// These are the faults that this package detects itself. Each is wrapped with a text that says what
// is wrong.
var (
	ErrURL      = errors.New("unusable URL")
	ErrHost     = errors.New("host not allowed") // a [*HostError] names the list
	ErrAddress  = errors.New("address not public")
	ErrTooLarge = errors.New("download too large")
)

// A HostError means that the lists do not allow a host. It is an [ErrHost].
type HostError struct {
	Host   string // with the port of the URL, if it has one
	Denied bool   // by the deny list; else it is missing in the allow list
}

func (e *HostError) Error() string {
	if e.Denied {
		return fmt.Sprintf("%v: %s is on the deny list", ErrHost, e.Host)
	}
	return fmt.Sprintf("%v: %s is not on the allow list", ErrHost, e.Host)
}

func (e *HostError) Unwrap() error { return ErrHost }

// A RedirectError means that the server has redirected the request. The caller decides whether to
// follow, as for any other URL.
type RedirectError struct {
	Status   int    // 301, 302, 303, 307 or 308; 0 if not known
	Location string // absolute
}

func (e *RedirectError) Error() string {
	return "redirect to " + e.Location + "; redirects are not followed, so ask for that URL if its host is allowed"
}

// A StatusError means that the server answered with a status other than 200, the only one that
// comes with the complete contents.
type StatusError struct {
	Host   string
	Status int
}

func (e *StatusError) Error() string {
	return fmt.Sprintf("%s answered with status %d", e.Host, e.Status)
}

// A NetworkError means that no complete answer came.
type NetworkError struct {
	Host   string
	Reason string
	// Lasting is set if the error is unlikely to go away soon: no such host, or its
	// certificate is not valid.
	Lasting bool
}

func (e *NetworkError) Error() string { return "cannot download from " + e.Host + ": " + e.Reason }

// Passing reports whether the same download may succeed if it is tried again.
func Passing(err error) bool {
	var network *NetworkError
	var status *StatusError
	switch {
	case errors.As(err, &network):
		return !network.Lasting
	case errors.As(err, &status):
		return status.Status >= 500 || status.Status == 408 || status.Status == 429
	}
	return false
}

// explain converts an error of the network to one of this package, without the URL and the
// addresses in it.
func explain(host string, err error) error {
	if errors.Is(err, ErrAddress) {
		return notPublic(host)
	}
	e := &NetworkError{Host: host}
	var dns *net.DNSError
	var op *net.OpError
	var certificate *tls.CertificateVerificationError
	var wrapped *url.Error
	switch {
	case errors.As(err, &dns) && dns.IsNotFound:
		e.Reason, e.Lasting = "no such host", true
	case errors.As(err, &dns):
		e.Reason = "cannot look up its address"
	case errors.As(err, &certificate):
		e.Reason, e.Lasting = certificate.Error(), true
	case errors.As(err, &op):
		e.Reason = fmt.Sprintf("%s: %v", op.Op, op.Err)
	case errors.As(err, &wrapped):
		e.Reason = wrapped.Err.Error()
	default:
		e.Reason = err.Error()
	}
	return e
}

func notPublic(host string) error {
	return fmt.Errorf("%w: %s is in a private network or on this machine", ErrAddress, host)
}
