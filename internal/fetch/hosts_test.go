package fetch

import (
	"errors"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/matryer/is"
)

func TestPublicAddressesAreOnTheInternet(t *testing.T) {
	for list, public := range map[string]bool{
		"8.8.8.8 93.184.216.34 1.1.1.1 172.15.0.1 172.32.0.1 100.63.255.255 100.128.0.0 192.167.255.255 223.255.255.255 " +
			"2606:2800:21f::1 2a00:1450:4001::200e 2001:4860:4860::8888 ::ffff:8.8.8.8": true,
		"127.0.0.1 127.255.255.254 10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 169.254.169.254 100.64.0.1 100.127.255.255 " +
			"0.0.0.0 0.1.2.3 224.0.0.1 239.255.255.250 240.0.0.1 255.255.255.255 192.0.0.8 192.0.2.1 198.18.0.1 198.51.100.1 203.0.113.1 " +
			":: ::1 fe80::1 fe80::1%eth0 2606:2800:21f::1%eth0 fec0::1 fc00::1 fd12:3456::1 ff02::1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::127.0.0.1 " +
			"64:ff9b::808:808 64:ff9b:1::1 100::1 2001::1 2001:db8::1 2002:808:808:: 3fff::1 5f00::1 4000::1": false,
	} {
		for a := range strings.FieldsSeq(list) {
			if Public(netip.MustParseAddr(a)) != public {
				t.Errorf("%s: public is not %v", a, public)
			}
		}
	}
	is := is.New(t)
	is.True(!Public(netip.Addr{})) // not an address
}

func TestHostsAreAllowedByNameAndDeniedFirst(t *testing.T) {
	h := Hosts{
		Allow: []string{"example.com", "*.example.org", "Upper.Test", "93.184.216.34", "2606:2800::0:1", "*", "*bad.test", "*."},
		Deny:  []string{"evil.example.org", "*.evil.example.org"},
	}
	for host, allowed := range map[string]bool{
		"example.com":          true,
		"EXAMPLE.COM":          true,
		"example.com.":         true,
		"upper.test":           true,
		"a.example.org":        true,
		"a.b.example.org":      true,
		"93.184.216.34":        true,
		"2606:2800:0::1":       true,
		"a.example.com":        false,
		"example.org":          false,
		"notexample.org":       false,
		"evil.example.org":     false,
		"EVIL.example.org.":    false,
		"sub.evil.example.org": false,
		"example.com.evil.net": false,
		"veryBad.test":         false, // * must stand for whole labels
		"anything.net":         false, // * alone is not allowed
	} {
		is := is.New(t)
		is.Equal(check(h, host) == nil, allowed)
	}
	is := is.New(t)
	all := Hosts{AllowAll: true, Deny: []string{"evil.test"}}
	is.NoErr(check(all, "anything.net"))
	is.True(errors.Is(check(all, "evil.test"), ErrHost))
	is.Equal(check(all, "evil.test").Error(), "host not allowed: evil.test is on the deny list")
}

// check checks a host, with or without a port.
func check(h Hosts, host string) error {
	if strings.Count(host, ":") > 1 && !strings.Contains(host, "]") {
		host = "[" + host + "]"
	}
	return h.Check(&url.URL{Scheme: "https", Host: host})
}

func TestAnotherPortMustBeNamedToBeAllowedButNotToBeDenied(t *testing.T) {
	h := Hosts{Allow: []string{"a.test", "b.test:8443", "*.c.test:8443", "[2606:2800::1]:8443"}}
	deny := Hosts{AllowAll: true, Deny: []string{"a.test", "b.test:8443"}}
	for host, want := range map[string]struct{ allowed, passes bool }{
		"a.test":              {true, false},
		"a.test:443":          {true, false},
		"a.test:8443":         {false, false}, // does not bypass the deny list
		"b.test":              {false, true},
		"b.test:8443":         {true, false},
		"b.test:22":           {false, true},
		"x.c.test:8443":       {true, true},
		"x.c.test":            {false, true},
		"[2606:2800::1]:8443": {true, true},
		"[2606:2800::1]":      {false, true},
	} {
		is := is.New(t)
		is.Equal(check(h, host) == nil, want.allowed)
		is.Equal(check(deny, host) == nil, want.passes)
	}
}

func TestHostListsAreReadAsOperatorsWriteThem(t *testing.T) {
	is := is.New(t)
	got, err := ParseHosts(" example.com,*.Example.ORG:8443\tapi.test. [2606:2800::1] ")
	is.NoErr(err)
	is.Equal(strings.Join(got, " "), "example.com *.Example.ORG:8443 api.test. [2606:2800::1]")
	for _, host := range []string{"EXAMPLE.com", "www.example.org:8443", "api.test", "2606:2800:0::1"} {
		is.NoErr(check(Hosts{Allow: got}, host))
	}
	got, err = ParseHosts("")
	is.NoErr(err)
	is.Equal(len(got), 0)
	for _, bad := range []string{"*", "https://example.com", "example.com/path", "ex*mple.com", "*example.com", "*.", "host:", "host:99999", "host:-1", "münchen.de", "0x7f.1", "*.10.0.0.1", "a..b"} {
		_, err := ParseHosts("fine.test " + bad)
		is.True(err != nil)
		is.True(strings.HasPrefix(err.Error(), "entry 2, ")) // names the entry
	}
}

// refused are URLs that are never fetched, whatever the lists are.
var refused = []string{
	"", "https://", "https:", "https:/example.com", "https:example.com", "//example.com", "example.com",
	"http://example.com", "ftp://example.com", "file:///etc/passwd", "gopher://example.com", "javascript:alert(1)",
	"https://user@example.com", "https://user:pass@example.com", "https://@example.com", "https://example.com@127.0.0.1",
	"https://2130706433", "https://0x7f000001", "https://0x7f.1", "https://0177.0.0.1", "https://127.1", "https://1",
	"https://127.0.0.1.", "https://127.0.0.0x1", "https://10.0.0.1.2", "https://0x", "https://256.256.256.256",
	"https://[::ffff:127.0.0.1]", "https://[::ffff:8.8.8.8]", "https://[fe80::1%25eth0]", "https://[::1", "https://[example.com]",
	"https://exa mple.com", "https://exam\nple.com", "https://example.com\\@evil.com", "https://%31%32%37.0.0.1",
	"https://münchen.de", "https://①②⑦.⓪.⓪.①", "https://example。com", "https://.example.com", "https://a..b", "https://-%zz",
	"https://example.com:port", "https://" + strings.Repeat("a", 64) + ".com", "https://" + strings.Repeat("a.", 127) + "com",
	"https://exam$ple.com", "https://*.example.com",
}

func TestUnusableURLsAreRefusedWithoutARequest(t *testing.T) {
	for _, u := range refused {
		if _, err := Get(t.Context(), Options{Hosts: Hosts{AllowAll: true}}, u); !errors.Is(err, ErrURL) {
			t.Errorf("%q: %v", u, err)
		}
	}
}

func TestOnlyTheHostOfAURLIsNormalized(t *testing.T) {
	for raw, want := range map[string]string{
		"https://Example.COM./A%2fb?q=%41#F": "https://example.com/A%2fb?q=%41#F",
		"HTTPS://example.com:8443":           "https://example.com:8443",
		"https://[2606:2800:0:0::1]:444/":    "https://[2606:2800::1]:444/",
		"https://8.8.8.8":                    "https://8.8.8.8",
		"https://xn--mnchen-3ya.de/":         "https://xn--mnchen-3ya.de/",
		"https://my_host.example.com:/":      "https://my_host.example.com/",
		"https://1password.com/0x7f":         "https://1password.com/0x7f",
	} {
		is := is.New(t)
		u, err := ParseURL(raw)
		is.NoErr(err)
		is.Equal(u.String(), want)
	}
}

func FuzzParseURL(f *testing.F) {
	for _, u := range refused {
		f.Add(u)
	}
	f.Add("https://Example.COM./A%2fb?q=%41#F")
	f.Add("https://[2606:2800:0:0::1]:444/")
	f.Fuzz(func(t *testing.T, raw string) {
		u, err := ParseURL(raw)
		if err != nil {
			if !errors.Is(err, ErrURL) {
				t.Fatalf("%q: %v", raw, err)
			}
			return
		}
		if u.Scheme != "https" || u.User != nil || u.Hostname() == "" || u.Hostname() != canonical(u.Hostname()) {
			t.Fatalf("%q became %v", raw, u)
		}
		again, err := ParseURL(u.String())
		if err != nil || again.Host != u.Host {
			t.Fatalf("%q became %q, which is not the same: %v", raw, u, err)
		}
	})
}
