package providers

import (
	"testing"

	"github.com/matryer/is"
)

func TestAGitURINamesRepositoryRefAndPath(t *testing.T) {
	for uri, want := range map[string]string{
		"git+https://example.com/owner/repo#README.md":          "https://example.com/owner/repo HEAD README.md",
		"git+https://example.com/owner/repo.git#main:docs/a.md": "https://example.com/owner/repo.git main docs/a.md",
		"GIT+HTTPS://EXAMPLE.com./r#v1.2:a":                     "https://example.com/r v1.2 a",
		"git+https://example.com/r#feature/x+y:a b":             "https://example.com/r feature/x+y a b",
		"git+https://example.com/r#HEAD:a:b":                    "https://example.com/r HEAD a:b",
		"git+https://example.com/r#:a:b":                        "https://example.com/r HEAD a:b",
		"git+https://example.com/r#main:a%20b%23c":              "https://example.com/r main a b#c",
		"git+https://example.com:8443/r#a":                      "https://example.com:8443/r HEAD a",
		"git+https://example.com/r#--output=x":                  "https://example.com/r HEAD --output=x", // a path, which follows --
		"git+https://example.com/r#.git/config":                 "https://example.com/r HEAD .git/config",
	} {
		is := is.New(t)
		g, err := parseGit(uri)
		is.NoErr(err)
		is.Equal(g.repository.String()+" "+g.ref+" "+g.path, want)
	}
	for _, uri := range []string{
		"git+https://example.com/r", "git+https://example.com/r#", "git+https://example.com/r#main:", "git+https://example.com/#a",
		"git+https://example.com#a", "git+https:///r#a", "git+http://example.com/r#a", "git+ssh://example.com/r#a", "git+file:///r#a",
		"git://example.com/r#a", "https://example.com/r#a", "git+https://u@example.com/r#a", "git+https://u:p@example.com/r#a",
		"git+https://example.com/r?x#a", "git+https://example.com/r?#a", "git+https://2130706433/r#a", "git+https://[::ffff:127.0.0.1]/r#a",
		"git+https://example.com/r#/etc/passwd", "git+https://example.com/r#../a", "git+https://example.com/r#a/../b",
		"git+https://example.com/r#a//b", "git+https://example.com/r#a/", "git+https://example.com/r#./a", "git+https://example.com/r#%2e%2e/a",
		"git+https://example.com/r#a%00b", "git+https://example.com/r#a%0ab", "git+https://example.com/r#a%ff", "git+https://example.com/r#a%",
		"git+https://example.com/r#-x:a", "git+https://example.com/r#--upload-pack=x:a", "git+https://example.com/r#a..b:c",
		"git+https://example.com/r#a b:c", "git+https://example.com/r#a~1:c", "git+https://example.com/r#a^:c", "git+https://example.com/r#@{u}:c",
		"git+https://example.com/r#*:c", "git+https://example.com/r#+main:c", "git+https://example.com/r#a.lock:c", "git+https://example.com/r#a\\b:c",
	} {
		if g, err := parseGit(uri); faultIn(err) != ErrBadURI {
			t.Errorf("%q: %+v, %v", uri, g, err)
		}
	}
}

func FuzzParseGit(f *testing.F) {
	f.Add("git+https://example.com/owner/repo#main:docs/a.md")
	f.Add("git+https://example.com/r#--upload-pack=x:a")
	f.Add("git+https://example.com/r#%2e%2e/a")
	f.Fuzz(func(t *testing.T, uri string) {
		g, err := parseGit(uri)
		if err != nil {
			if faultIn(err) != ErrBadURI {
				t.Fatalf("%q: %v", uri, err)
			}
			return
		}
		if g.repository.Scheme != "https" || g.repository.User != nil || g.ref == "" || g.ref[0] == '-' || g.path == "" || g.path[0] == '/' {
			t.Fatalf("%q: %+v", uri, g)
		}
	})
}
