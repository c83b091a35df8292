package providers

import (
	"cmp"
	"fmt"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcp-bash/mcp-bash/v2/internal/fetch"
	"github.com/mcp-bash/mcp-bash/v2/internal/lazyregexp"
)

// A gitFile is a file in a repository, as a URI names it:
//
//	git+https://host/owner/repo#path
//	git+https://host/owner/repo#ref:path
type gitFile struct {
	repository *url.URL // https, without query and fragment
	ref        string   // a branch, a tag, a whole commit id, or HEAD
	path       string   // from the top of the repository, clean
}

// refName matches refs that git cannot take for anything but a name.
var refName = lazyregexp.New(`^[0-9A-Za-z_][0-9A-Za-z_./+-]*$`)

func parseGit(uri string) (gitFile, error) {
	var g gitFile
	scheme, rest, _ := strings.Cut(uri, "+")
	if !strings.EqualFold(scheme, "git") {
		return g, fmt.Errorf("%w: write git+https://HOST/REPOSITORY#REF:PATH", ErrBadURI)
	}
	repository, fragment, _ := strings.Cut(rest, "#")
	u, err := fetch.ParseURL(repository)
	if err != nil {
		return g, fmt.Errorf("%w: %w", ErrBadURI, err)
	}
	if strings.Trim(u.Path, "/") == "" || u.RawQuery != "" || u.ForceQuery {
		return g, fmt.Errorf("%w: write the path of the repository after the host, without a query", ErrBadURI)
	}
	fragment, err = url.PathUnescape(fragment)
	if err != nil {
		return g, fmt.Errorf("%w: %% after the # must be followed by two hexadecimal digits", ErrBadURI)
	}
	g = gitFile{repository: u, ref: "HEAD", path: fragment}
	if ref, path, ok := strings.Cut(fragment, ":"); ok {
		g.ref, g.path = cmp.Or(ref, "HEAD"), path
	}
	if !refName.Get().MatchString(g.ref) || strings.Contains(g.ref, "..") || strings.HasSuffix(g.ref, ".lock") {
		return g, fmt.Errorf("%w: the part between # and : must be a branch, a tag or a full commit id", ErrBadURI)
	}
	if strings.ContainsFunc(g.path, unicode.IsControl) || !utf8.ValidString(g.path) {
		return g, fmt.Errorf("%w: the path after the # contains a control character or is not UTF-8", ErrBadURI)
	}
	for part := range strings.SplitSeq(g.path, "/") {
		if part == "" || part == "." || part == ".." {
			return g, fmt.Errorf("%w: after the # write the path of a file from the top of the repository, without \"..\"",
				ErrBadURI)
		}
	}
	return g, nil
}
