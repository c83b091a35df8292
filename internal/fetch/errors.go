package fetch

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
)

// These are the faults that we find ourselves. Each is wrapped with words that say what is
// wrong.
var (
	ErrURL      = errors.New("unusable URL")
	ErrHost     = errors.New("host not allowed") // a [*HostError] says by which list
	ErrAddress  = errors.New("address not public")
	ErrTooLarge = errors.New("download too large")
)

// A HostError says that the lists do not let a host be asked. It is an [ErrHost].
type HostError struct {
	Host   string // with its port, if the URL names one
	Denied bool   // it is in the deny list; else it is missing in the allow list
}

func (e *HostError) Error() string {
	if e.Denied {
		return fmt.Sprintf("%v: %s is in the deny list", ErrHost, e.Host)
	}
	return fmt.Sprintf("%v: %s is not in the allow list", ErrHost, e.Host)
}

func (e *HostError) Unwrap() error { return ErrHost }

// A RedirectError says that the server sent us elsewhere. Whether to go there is for the
// caller to decide, as for any other URL.
type RedirectError struct {
	Status   int    // 301, 302, 303, 307 or 308; 0 if not known
	Location string // absolute
}

func (e *RedirectError) Error() string {
	return "redirect to " + e.Location + "; redirects are not followed, so ask for that URL if its host is allowed"
}

// A StatusError says that the server answered with a status other than 200, which is the only one
// that comes with all of what was asked for.
type StatusError struct {
	Host   string
	Status int
}

func (e *StatusError) Error() string {
	return fmt.Sprintf("%s answered with status %d", e.Host, e.Status)
}

// A NetworkError says that no whole answer came.
type NetworkError struct {
	Host   string
	Reason string
	// Lasting is set where nothing suggests that it will be otherwise in a moment: there is no
	// such host, or its certificate is not valid.
	Lasting bool
}

func (e *NetworkError) Error() string { return "cannot download from " + e.Host + ": " + e.Reason }

// Passing reports whether the same download may well succeed if it is tried once more.
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

// explain makes an error of ours from one of the network, without the URL and the addresses
// that it holds.
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
		e.Reason, e.Lasting = "there is no such host", true
	case errors.As(err, &dns):
		e.Reason = "its address cannot be looked up"
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
	return fmt.Errorf("%w: %s leads into a private network or to this machine", ErrAddress, host)
}
