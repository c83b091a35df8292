package fetch

import (
	"context"
	"crypto/x509"
	"encoding/binary"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"strings"
	"testing"
)

// deadProxy is the proxy in the environment of all tests: net/http reads the variable only once.
const deadProxy = "http://127.0.0.1:9"

func TestMain(m *testing.M) {
	os.Setenv("HTTPS_PROXY", deadProxy)
	os.Exit(m.Run())
}

// site starts a local web site and returns options to reach it: all hosts are allowed, and local
// addresses count as public.
func site(t *testing.T, h http.HandlerFunc) (url string, o Options) {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	o.Hosts.AllowAll = true
	o.network.public = func(a netip.Addr) bool { return a.IsLoopback() }
	o.network.roots = x509.NewCertPool()
	o.network.roots.AddCert(s.Certificate())
	return s.URL, o
}

// says returns a handler that answers with a text.
func says(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, text) }
}

// names returns a resolver for these names only; their addresses are separated by commas.
func names(known map[string]string) *net.Resolver {
	return &net.Resolver{
		PreferGo: true,
		Dial: func(context.Context, string, string) (net.Conn, error) {
			client, server := net.Pipe()
			go answer(server, known)
			return client, nil
		},
	}
}

// answer serves DNS over one connection, as over TCP.
func answer(c net.Conn, known map[string]string) {
	defer c.Close()
	for {
		var size [2]byte
		if _, err := io.ReadFull(c, size[:]); err != nil {
			return
		}
		query := make([]byte, binary.BigEndian.Uint16(size[:]))
		if _, err := io.ReadFull(c, query); err != nil {
			return
		}
		reply := reply(query, known)
		c.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(reply))), reply...))
	}
}

// reply answers a DNS query that has one question.
func reply(query []byte, known map[string]string) []byte {
	name, at := "", 12
	for query[at] != 0 {
		name += string(query[at+1:at+1+int(query[at])]) + "."
		at += 1 + int(query[at])
	}
	kind := binary.BigEndian.Uint16(query[at+1:])
	question := query[12 : at+5]

	list, ok := known[strings.TrimSuffix(name, ".")]
	var records []byte
	n := 0
	for a := range strings.SplitSeq(list, ",") {
		address, err := netip.ParseAddr(a)
		if err != nil || address.Is4() != (kind == 1) || kind != 1 && kind != 28 {
			continue
		}
		n++
		records = append(records, 0xc0, 12) // the name in the question
		records = binary.BigEndian.AppendUint16(records, kind)
		records = append(records, 0, 1, 0, 0, 0, 0) // class, time to live
		records = binary.BigEndian.AppendUint16(records, uint16(len(address.AsSlice())))
		records = append(records, address.AsSlice()...)
	}
	header := []byte{query[0], query[1], 0x84, 0x80, 0, 1, 0, byte(n), 0, 0, 0, 0}
	if !ok {
		header[3] |= 3 // no such name
	}
	return append(append(header, question...), records...)
}
