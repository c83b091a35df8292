package bundle

import (
	"context"
	"net/url"
	"os/exec"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/lazyregexp"
)

// GitConfig returns what git knows about the author and the source of a project; nothing without
// git.
func GitConfig(ctx context.Context, root string) Config {
	ask := func(args ...string) string {
		out, err := exec.CommandContext(ctx, "git", append([]string{"-C", root}, args...)...).Output()
		if err != nil {
			return ""
		}
		return strings.TrimSpace(string(out))
	}
	return Config{
		Author:     Author{Name: ask("config", "user.name"), Email: ask("config", "user.email")},
		Repository: webAddress(ask("remote", "get-url", "origin")),
	}
}

// scpAddress matches git@host:path.
var scpAddress = lazyregexp.New(`^[^@/:]+@([^:/]+):([^:].*)$`)

// webAddress returns the web page of a remote; "" if that is not known. Users and passwords in the
// remote's address are left out: they are private.
func webAddress(remote string) string {
	if m := scpAddress.Get().FindStringSubmatch(remote); m != nil {
		return "https://" + m[1] + "/" + m[2]
	}
	u, err := url.Parse(remote)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" && u.Scheme != "ssh" {
		return ""
	}
	if u.Scheme == "ssh" {
		u.Scheme, u.Host = "https", u.Hostname()
	}
	u.User = nil
	return u.String()
}
