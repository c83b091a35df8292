package sdk

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/internal/sdk/download"
)

// download answers mcp_download_safe, which always returns 0: FOLDER --url U --out P
// [--allow H]... [--deny H]... [--max-bytes N] [--timeout S] [--user-agent S] [--retry N]
// [--retry-delay S].
func (c *Channel) download(ctx context.Context, args []string) answer {
	path, n, err := c.fetch(ctx, args)
	if err != nil {
		about := object{{"type", json.Quote(err.Type)}, {"message", json.Quote(err.Message)}}
		if err.Location != "" {
			about = about.with("location", json.Quote(err.Location))
		}
		return print(string(object{{"success", json.Value("false")}, {"error", about.append(nil)}}.append(nil)))
	}
	return print(string(object{
		{"success", json.Value("true")},
		{"bytes", json.Value(strconv.FormatInt(n, 10))},
		{"path", json.Quote(path)},
	}.append(nil)))
}

// downloadOrFail answers mcp_download_safe_or_fail, which prints the path.
func (c *Channel) downloadOrFail(ctx context.Context, args []string) answer {
	path, _, err := c.fetch(ctx, args)
	if err != nil {
		return invalid(fmt.Sprintf("Download failed (%s): %s", err.Type, err.Message))
	}
	return print(path)
}

// fetch returns the path as the tool gave it, and the size of the file.
func (c *Channel) fetch(ctx context.Context, args []string) (string, int64, *download.Error) {
	fault := func(err error) (string, int64, *download.Error) {
		return "", 0, &download.Error{Type: download.InvalidParams, Message: err.Error()}
	}
	g, err := spec{
		"--url": 1, "--out": 1, "--allow": 1, "--deny": 1, "--max-bytes": 1, "--timeout": 1,
		"--user-agent": 1, "--retry": 1, "--retry-delay": 1,
	}.parse(args, 1)
	if err != nil {
		return fault(err)
	}
	url, _ := g.value("--url")
	out, _ := g.value("--out")
	r := download.Request{URL: url, Allow: g.values("--allow"), Deny: g.values("--deny"), RetryDelay: time.Second}
	if out != "" {
		r.Out = absolute(arg(g.args, 0), out)
	}
	r.UserAgent, _ = g.value("--user-agent")
	for _, o := range []struct {
		name string
		set  func(seconds float64)
	}{
		{"--max-bytes", func(n float64) { r.MaxBytes = int64(n) }},
		{"--timeout", func(n float64) { r.Timeout = seconds(n) }},
		{"--retry", func(n float64) { r.Retries = int(n) }},
		{"--retry-delay", func(n float64) { r.RetryDelay = seconds(n) }},
	} {
		text, given := g.value(o.name)
		if !given {
			continue
		}
		n, err := strconv.ParseFloat(text, 64)
		if err != nil || !(n >= 0 && n <= 1e12) {
			return fault(fmt.Errorf("%s %q is not a valid number", o.name, text))
		}
		o.set(n)
	}
	if c.call.NoNetwork {
		return "", 0, &download.Error{Type: download.HostBlocked, Message: "the sandbox of this tool denies access to the network"}
	}
	r.Confine = c.call.Confine
	n, err := download.Fetch(ctx, c.server.Downloads, r)
	var e *download.Error
	if errors.As(err, &e) {
		return "", 0, e
	}
	return out, n, nil
}

// seconds returns a duration, at most a minute, the longest wait of a download.
func seconds(n float64) time.Duration {
	return time.Duration(min(n, 60) * float64(time.Second))
}
