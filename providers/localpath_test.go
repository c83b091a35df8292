package providers

import (
	"errors"
	"strings"
	"testing"

	"github.com/matryer/is"
)

func TestFileURIsNamePathsOfTheSystem(t *testing.T) {
	for _, c := range []struct{ uri, unix, windows string }{ // a fault begins with "!"
		{"file:///a/b", "/a/b", `A:\b`}, // shells on Windows write a drive as one letter
		{"file:///etc/b%20c", "/etc/b c", "!invalid"},
		{"file:///etc/b c", "/etc/b c", "!invalid"},
		{"FILE:///etc", "/etc", "!invalid"},
		{"file:/etc", "/etc", "!invalid"},
		{"file://localhost/etc", "/etc", "!invalid"},
		{"file://LOCALHOST/C:/x", "/C:/x", `C:\x`},
		{"file:///", "/", "!invalid"},
		{"file:///etc//x/./y/", "/etc/x/y", "!invalid"},
		{"file:///gr%C3%BC%C3%9Fe", "/grüße", "!invalid"},
		{"file:///%2525", "/%25", "!invalid"}, // decoded once
		{"file:///%252e%252e/x", "/%2e%2e/x", "!invalid"},
		{"file:///...", "/...", "!invalid"},

		{"file:///C:/x/y", "/C:/x/y", `C:\x\y`},
		{"file:///c:/x/y", "/c:/x/y", `C:\x\y`},
		{"file:///C%3A/x", "/C:/x", `C:\x`},
		{"file://C:/x", "!invalid", `C:\x`},
		{`file://C:\x\y`, "!invalid", `C:\x\y`},
		{`file:///C:\x`, `/C:\x`, `C:\x`},
		{"file:C:/x", "!invalid", `C:\x`},
		{"file:///c/x y", "/c/x y", `C:\x y`},
		{"file:///C:/", "/C:", `C:\`},
		{`C:\x`, "!invalid", `C:\x`},
		{"C:/x", "!invalid", `C:\x`},
		{"/c/x", "!invalid", `C:\x`},
		{"/c", "!invalid", `C:\`},

		{"file:///a/../etc/passwd", "!denied", "!denied"},
		{"file:///a/%2e%2e/etc/passwd", "!denied", "!denied"},
		{"file:///a/%2E./etc", "!denied", "!denied"},
		{"file:///..", "!denied", "!invalid"},
		{`file:///C:/a/..\b`, `/C:/a/..\b`, "!denied"}, // on other systems a backslash is an ordinary character
		{`C:\a\..\b`, "!invalid", "!denied"},
		{"file:///a/..%2f..%2fetc", "!invalid", "!invalid"},
		{"file:///a%2Fb", "!invalid", "!invalid"},
		{"file:///C:/a%5Cb", `/C:/a\b`, "!invalid"},
		{"file:///a%00b", "!invalid", "!invalid"},
		{"file:///a%zz", "!invalid", "!invalid"},
		{"file:///a%", "!invalid", "!invalid"},
		{"file:///a?b", "!invalid", "!invalid"},
		{"file:///a#b", "!invalid", "!invalid"},
		{"file://evil.example.com/share/x", "!invalid", "!invalid"},
		{"file://127.0.0.1/c$/x", "!invalid", "!invalid"},
		{`file:\\server\share\x`, "!invalid", "!invalid"},
		{"file:////server/share", "/server/share", "!invalid"},
		{`\\?\C:\x`, "!invalid", "!invalid"},
		{`file:///\\.\pipe\x`, `/\\.\pipe\x`, "!invalid"},
		{"file:///C:/x:stream", "/C:/x:stream", "!invalid"},
		{"file:///C:/x.txt::$DATA", "/C:/x.txt::$DATA", "!invalid"},
		{"file:///C:/x.", "/C:/x.", "!invalid"},
		{"file:///C:/x%20", "/C:/x ", "!invalid"},
		{"file:///C:/.../x", "/C:/.../x", "!invalid"},
		{"file:///C:x", "/C:x", "!invalid"},
		{"file:C:x", "!invalid", "!invalid"},
		{"file:a/b", "!invalid", "!invalid"},
		{"file:", "!invalid", "!invalid"},
		{"file://", "!invalid", "!invalid"},
		{"/etc/passwd", "!invalid", "!invalid"},
		{"", "!invalid", "!invalid"},
	} {
		for want, windows := range map[string]bool{c.unix + " ": false, c.windows: true} {
			want = strings.TrimSuffix(want, " ") // both may be identical
			got, err := localPath(c.uri, "", windows)
			switch {
			case errors.Is(err, ErrBadURI):
				got = "!invalid"
			case errors.Is(err, ErrDenied):
				got = "!denied"
			case err != nil:
				got = err.Error()
			}
			if got != want {
				t.Errorf("%q, windows %v: %q, want %q (%v)", c.uri, windows, got, want, err)
			}
		}
	}
}

func FuzzLocalPath(f *testing.F) {
	for _, uri := range hostile {
		f.Add(strings.NewReplacer("ROOT", "/tmp/root", "OUT", "/tmp/out").Replace(uri.uri))
	}
	f.Add(`file://C:\x\y`)
	f.Fuzz(func(t *testing.T, uri string) {
		is := is.New(t)
		for _, windows := range []bool{false, true} {
			path, err := localPath(uri, "", windows)
			if err != nil {
				is.True(faultIn(err) != nil) // every error is one of the faults
				continue
			}
			separator := "/"
			if windows {
				separator = `\`
				is.True(len(path) >= 3 && path[0] >= 'A' && path[0] <= 'Z' && path[1:3] == `:\`)
				is.True(!strings.ContainsAny(path[2:], ":/\x00"))
			} else {
				is.True(strings.HasPrefix(path, "/"))
			}
			for part := range strings.SplitSeq(path, separator) {
				is.True(part != ".." && part != ".")
			}
		}
	})
}
