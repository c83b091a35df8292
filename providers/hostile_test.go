package providers

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcp-bash/mcp-bash/v2/internal/fetch"
)

// canary is the text of files that must not be readable.
const canary = "the canary leaks"

// hostile are URIs of clients that want more than they may. ROOT is the path of a root, OUT
// that of the folder beside it which holds the canary.
var hostile = []struct {
	uri  string
	want error
}{
	{"file://OUT/secret", ErrDenied},
	{"file://OUT/", ErrDenied},
	{"file://OUT/missing", ErrDenied}, // as for existing files: nothing outside is revealed
	{"file://ROOT/../out/secret", ErrDenied},
	{"file://ROOT/sub/../../out/secret", ErrDenied},
	{"file://ROOT/%2e%2e/out/secret", ErrDenied},
	{"file://ROOT/%2E%2e/out/secret", ErrDenied},
	{"file://ROOT/.%2e/out/secret", ErrDenied},
	{"file://ROOT/sub/../good", ErrDenied}, // even if it comes back
	{"file://ROOT/..", ErrDenied},
	{"file://ROOT-twin/secret", ErrDenied}, // a name with the root as prefix
	{"file://ROOT/../root-twin/secret", ErrDenied},
	{"file:///", ErrDenied},
	{"file:///etc/passwd", ErrDenied},
	{"file:////etc/passwd", ErrDenied},
	{"file:///proc/self/environ", ErrDenied},
	{"file:///dev/zero", ErrDenied},
	{"file:/etc/passwd", ErrDenied},
	{"file://localhost/etc/passwd", ErrDenied},
	{"file://ROOT/..%2fout%2fsecret", ErrBadURI},
	{"file://ROOT/..%2Fout%2Fsecret", ErrBadURI},
	{"file://ROOT/%2e%2e%2f%2e%2e%2fout/secret", ErrBadURI},
	{"file://ROOT%2f..%2fout%2fsecret", ErrBadURI},
	{"file://ROOT/%252e%252e/out/secret", ErrNotFound}, // decoded once, so just an odd name
	{"file://ROOT/..%252fout", ErrNotFound},
	{"file://ROOT/%c0%ae%c0%ae/out/secret", ErrNotFound}, // an overlong encoding of a dot is not a dot
	{"file://ROOT/%uff0e%uff0e/out/secret", ErrBadURI},
	{"file://ROOT/．．/out/secret", ErrNotFound},
	{"file://ROOT/..;/out/secret", ErrNotFound},
	{"file://ROOT/.../out/secret", ErrNotFound},
	{"file://ROOT/good%00.png", ErrBadURI},
	{"file://ROOT/good\x00", ErrBadURI},
	{"file://ROOT/good%", ErrBadURI},
	{"file://ROOT/good%g0", ErrBadURI},
	{"file://ROOT/good?x=../out/secret", ErrBadURI},
	{"file://ROOT/good#../../out/secret", ErrBadURI},
	{"file://ROOT/good/", nil}, // a trailing slash makes no difference
	{"file://ROOT/good/..", ErrDenied},
	{"file://ROOT/good/x", ErrNotFound},
	{"file://ROOT/" + strings.Repeat("a", 300), ErrNotFound},
	{"file://ROOT/" + strings.Repeat("a/", 2000), ErrNotFound},
	{"file://ROOT/" + strings.Repeat("a", MaxURI), ErrBadURI},
	{"file://evil.example.com/share", ErrBadURI},
	{"file://169.254.169.254/latest", ErrBadURI},
	{"file://evil.example.com", ErrBadURI},
	{"file:good", ErrBadURI},
	{"file:../out/secret", ErrBadURI},
	{"file:~/.ssh/id_rsa", ErrBadURI},
	{"file:$HOME/.ssh", ErrBadURI},
	{"file:", ErrBadURI},
	{"", ErrBadURI},
	{"../out/secret", ErrBadURI},
	{"OUT/secret", ErrBadURI},
	{"-rf:x", ErrBadURI},
	{"../../out/x:y", ErrBadURI},
	{"..:x", ErrBadURI},
	{"file\n:x", ErrBadURI},
	{"file://ROOT/link-file", ErrDenied},
	{"file://ROOT/link-folder/secret", ErrDenied},
	{"file://ROOT/link-folder", ErrDenied},
	{"file://ROOT/link-absolute", ErrDenied},
	{"file://ROOT/link-twice", ErrDenied},
	{"file://ROOT/link-loop", ErrUnavailable},

	{"https://evil.example.com/", ErrDenied},
	{"https://good.example.com.evil.test/", ErrDenied},
	{"https://good.example.com@evil.test/", ErrBadURI},
	{"https://evil.test#@good.example.com/", ErrDenied},
	{`https://evil.test\@good.example.com/`, ErrBadURI},
	{"https://good.example.com:22/", ErrDenied},
	{"https://127.0.0.1/", ErrDenied},
	{"https://2130706433/", ErrBadURI},
	{"https://0x7f.1/", ErrBadURI},
	{"https://[::1]/", ErrDenied},
	{"https://[::ffff:127.0.0.1]/", ErrBadURI},
	{"https://local.example.com/", ErrDenied}, // allowed by name, private by address
	{"http://good.example.com/", ErrNotFound}, // no such scheme here

	{"git+https://evil.example.com/r#f", ErrDenied},
	{"git+https://local.example.com/r#f", ErrDenied},
	{"git+https://good.example.com/r#../f", ErrBadURI},
	{"git+https://good.example.com/r#--upload-pack=x:f", ErrBadURI},
	{"git+https://good.example.com/r#a..b:f", ErrBadURI},
	{"git+https://u:p@good.example.com/r#f", ErrBadURI},
	{"git+ssh://good.example.com/r#f", ErrNotFound},
	{"git+file:///r#f", ErrNotFound},
	{"git+ext::sh#f", ErrNotFound},

	{"ui://server/escape", ErrDenied},
}

// fortress is a Set with everything switched on, around a folder that has a canary beside it,
// and the function that fills in its paths.
func fortress(t testing.TB) (Set, func(string) string) {
	base := t.TempDir()
	root, out := filepath.Join(base, "root"), filepath.Join(base, "out")
	write(t, root, "good", "good")
	write(t, root, "sub/file", "good")
	write(t, out, "secret", canary)
	write(t, base, "root-twin/secret", canary)
	for name, target := range map[string]string{
		"link-file":     filepath.Join("..", "out", "secret"),
		"link-folder":   filepath.Join("..", "out"),
		"link-absolute": filepath.Join(out, "secret"),
		"link-twice":    "link-file",
		"link-loop":     "link-loop",
	} {
		link(t, target, filepath.Join(root, name))
	}
	hosts := fetch.Hosts{Allow: []string{"good.example.com", "local.example.com"}}
	s := Set{
		Scripts: Scripts{Folder: filepath.Join(root, "sub")},
		Schemes: map[string]Provider{
			"file":  File{Roots: []string{root}},
			"echo":  Echo{},
			"https": HTTPS{Hosts: hosts, get: getNothing},
			"ui": UI{Find: func(_ context.Context, uri string) (Page, error) {
				if uri == "ui://server/escape" {
					return Page{Folder: root, File: "../out/secret"}, nil
				}
				return Page{}, os.ErrNotExist
			}},
		},
	}
	g := Git{Enabled: true, Hosts: hosts, Temp: base}
	g.test.resolve = func(context.Context, string) ([]netip.Addr, error) { return nil, fetch.ErrAddress }
	s.Schemes["git+https"] = g
	escaped := func(path string) string {
		u := url.URL{Path: filepath.ToSlash(path)}
		return "/" + strings.TrimPrefix(u.EscapedPath(), "/")
	}
	return s, strings.NewReplacer("ROOT", escaped(root), "OUT", escaped(out)).Replace
}

// getNothing is fetch.Get where no host has a public address.
func getNothing(_ context.Context, o fetch.Options, raw string) (fetch.Result, error) {
	u, err := fetch.ParseURL(raw)
	if err == nil {
		err = o.Hosts.Check(u)
	}
	if err == nil {
		err = fetch.ErrAddress
	}
	return fetch.Result{}, err
}

func TestHostileURIsAreRefused(t *testing.T) {
	s, fill := fortress(t)
	for _, c := range hostile {
		uri := fill(c.uri)
		contents, err := s.Read(t.Context(), uri)
		refused := faultIn(err)
		if onWindows && refused != nil && strings.HasPrefix(uri, "file:") {
			refused = c.want // on Windows, more of them are not paths at all
		}
		if refused != c.want && !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
			t.Errorf("%q: %v, want %v", c.uri, err, c.want)
		}
		if leaks(contents, err) {
			t.Errorf("%q: the canary is out", c.uri)
		}
	}
	if len(hostile) < 80 {
		t.Errorf("only %d hostile URIs", len(hostile))
	}
}

// leaks reports whether an answer contains the canary.
func leaks(contents []Content, err error) bool {
	text := fmt.Sprint(err)
	for _, c := range contents {
		text += string(c.Blob)
		if c.Text != nil {
			text += *c.Text
		}
	}
	return strings.Contains(text, canary) || strings.Contains(text, base64.StdEncoding.EncodeToString([]byte(canary)))
}

func FuzzRead(f *testing.F) {
	for _, c := range hostile {
		f.Add(c.uri)
	}
	s, fill := fortress(f)
	f.Fuzz(func(t *testing.T, uri string) {
		contents, err := s.Read(t.Context(), fill(uri))
		if leaks(contents, err) && !strings.Contains(uri, canary) {
			t.Fatalf("%q: the canary is out", uri)
		}
		if err != nil && faultIn(err) == nil {
			t.Fatalf("%q: %v is none of the faults", uri, err)
		}
		if err == nil && len(contents) == 0 {
			t.Fatalf("%q: an empty answer", uri)
		}
	})
}
