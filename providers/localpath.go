package providers

import (
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"strings"
)

// localPath returns the absolute path that a file: URI names, in the form of the system, with no
// part of it that could lead upwards. It does not look at files.
//
//	file:///a/b%20c     /a/b c
//	file://localhost/a  /a
//
// Paths of Windows come in three forms: of URIs, of Windows itself, and of the Unix shells that run
// there.
//
//	file:///C:/a  file://C:\a  file:///c/a  C:\a  C:/a  /c/a    C:\a
//
// With a base, a path that is not absolute begins there:
//
//	file://./a  file://a/b  file:a
func localPath(uri, base string, windows bool) (string, error) {
	p, isURI := uri, len(uri) >= 5 && strings.EqualFold(uri[:5], "file:")
	switch {
	case isURI:
		var err error
		if p, err = uriPath(uri[5:], base != "", windows); err != nil {
			return "", err
		}
	case !windows:
		return "", fmt.Errorf("%w: a file URI begins with file:///", ErrBadURI)
	}
	if base != "" && isURI && p != "" && !strings.HasPrefix(p, "/") &&
		!(windows && (p[0] == '\\' || len(p) > 1 && isDrive(p[:2]))) {
		p = filepath.ToSlash(base) + "/" + p
	}
	if windows {
		return windowsPath(p)
	}
	if !strings.HasPrefix(p, "/") {
		return "", errNotAbsolute
	}
	return path.Clean(p), checkParts(p)
}

var errNotAbsolute = fmt.Errorf("%w: the path is not absolute; write file:/// and the whole path", ErrBadURI)

// uriPath returns the decoded path from what follows file: in a URI.
func uriPath(rest string, relative, windows bool) (string, error) {
	if strings.ContainsAny(rest, "?#") {
		return "", fmt.Errorf("%w: a file URI has no query or fragment; write %%3F for ? and %%23 for # in its name",
			ErrBadURI)
	}
	if after, ok := strings.CutPrefix(rest, "//"); ok {
		host, _, _ := strings.Cut(strings.ReplaceAll(after, `\`, "/"), "/")
		switch {
		case windows && isDrive(host): // file://C:/a
			rest = after
		case host == "" || strings.EqualFold(host, "localhost"):
			rest = after[len(host):]
		case relative: // no host, but where a relative path begins
			rest = after
		default:
			return "", fmt.Errorf("%w: it names a file on another host; write file:/// with three slashes for a file on this "+
				"machine", ErrBadURI)
		}
	}
	encoded := strings.ToLower(rest)
	if strings.Contains(encoded, "%2f") || windows && strings.Contains(encoded, "%5c") {
		return "", fmt.Errorf("%w: a file name cannot contain a slash; separate folders with /, not %%2F", ErrBadURI)
	}
	p, err := url.PathUnescape(rest)
	if err != nil {
		return "", fmt.Errorf("%w: %% must be followed by two hexadecimal digits; write %%25 for a percent sign", ErrBadURI)
	}
	return p, nil
}

// checkParts refuses a path that leads upwards or that no system could open. A path is not cleaned
// first: after a symbolic link the result of ".." is not what its text suggests.
func checkParts(p string) error {
	if strings.ContainsRune(p, 0) {
		return fmt.Errorf("%w: it contains NUL", ErrBadURI)
	}
	for part := range strings.SplitSeq(p, "/") {
		if part == ".." {
			return fmt.Errorf("%w: the path contains \"..\"; write it without", ErrOutside)
		}
	}
	return nil
}

func windowsPath(p string) (string, error) {
	p = strings.ReplaceAll(p, `\`, "/")
	if strings.HasPrefix(p, "/") && len(p) > 2 && isDrive(p[1:3]) {
		p = p[1:] // /C:/a, from a URI
	}
	if len(p) >= 2 && p[0] == '/' && isLetter(p[1]) && (len(p) == 2 || p[2] == '/') {
		p = p[1:2] + ":/" + p[min(3, len(p)):] // /c/a, from a shell
	}
	if len(p) < 3 || !isDrive(p[:2]) || p[2] != '/' {
		return "", errNotAbsolute // or a share of another machine, or a device
	}
	if err := checkParts(p); err != nil {
		return "", err
	}
	for part := range strings.SplitSeq(p[3:], "/") {
		if strings.ContainsAny(part, `:*?"<>|`) || part != "." && strings.TrimRight(part, ". ") != part {
			return "", fmt.Errorf("%w: %q is not a valid file name on Windows", ErrBadURI, part)
		}
	}
	return strings.ToUpper(p[:1]) + ":" + strings.ReplaceAll(path.Clean(p[2:]), "/", `\`), nil
}

// isDrive reports whether s is a drive, such as C:.
func isDrive(s string) bool { return len(s) == 2 && isLetter(s[0]) && s[1] == ':' }

func isLetter(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' }
