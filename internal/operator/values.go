package operator

import (
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/mcp-bash/mcp-bash/v2/internal/fetch"
	"github.com/mcp-bash/mcp-bash/v2/internal/process"
	"github.com/mcp-bash/mcp-bash/v2/middleware"
	"github.com/mcp-bash/mcp-bash/v2/server"
)

// A setter sets a field of the settings to the value of a variable. Its error says what a value must be.
type setter = func(value string) error

// choice sets one of several values, by their names in lower case.
func choice[T any](to *T, must string, values map[string]T) setter {
	return func(v string) error {
		chosen, ok := values[strings.ToLower(v)]
		if !ok {
			return errors.New("must be " + must)
		}
		*to = chosen
		return nil
	}
}

var switches = map[string]bool{
	"true": true, "1": true, "yes": true, "on": true,
	"false": false, "0": false, "no": false, "off": false,
}

func flag(to *bool) setter { return choice(to, "true or false", switches) }

// unless sets the opposite of a switch.
func unless(to *bool) setter {
	return func(v string) (err error) {
		err = flag(to)(v)
		*to = !*to
		return err
	}
}

func text(to *string) setter {
	return func(v string) error {
		*to = v
		return nil
	}
}

// label sets a text that clients show on one line.
func label(to *string) setter {
	return func(v string) error {
		if !utf8.ValidString(v) || strings.ContainsFunc(v, unicode.IsControl) {
			return errors.New("must be one line of UTF-8")
		}
		*to = v
		return nil
	}
}

// list sets a list of what a value names. A value that names none, such as a comma, is an error that says what
// is missing, except where none is "".
func list(to *[]string, none string, parse func(string) ([]string, error)) setter {
	return func(v string) (err error) {
		if *to, err = parse(v); err == nil && v != "" && len(*to) == 0 && none != "" {
			err = errors.New("names no " + none)
		}
		return err
	}
}

// words separates names by blanks and commas.
func words(v string) ([]string, error) {
	return strings.FieldsFunc(v, func(r rune) bool { return strings.ContainsRune(", \t\n", r) }), nil
}

// allowedTools sets the names of tools.
func allowedTools(to *[]string) setter {
	return list(to, "tool; MCPBASH_TOOL_ALLOW_DEFAULT=deny refuses all", words)
}

func names(to *[]string) setter { return list(to, "", words) }

func allowedHosts(to *[]string) setter { return list(to, "", fetch.ParseHosts) }

// deniedHosts sets a list of hosts that denies something.
func deniedHosts(to *[]string) setter { return list(to, "host", fetch.ParseHosts) }

// paths sets a list of folders in the format of PATH.
func paths(to *[]string) setter {
	return list(to, "folder", func(v string) (folders []string, _ error) {
		for _, folder := range filepath.SplitList(v) {
			if folder != "" {
				folders = append(folders, folder)
			}
		}
		return folders, nil
	})
}

func count(to *int) setter {
	return func(v string) error {
		n, err := strconv.Atoi(v)
		if err != nil || n < 0 {
			return errors.New("must be a whole number, 0 or more")
		}
		*to = explicitLimit(n)
		return nil
	}
}

func secs(to *time.Duration) setter {
	return func(v string) error {
		n, err := strconv.ParseFloat(v, 64)
		if err != nil || !(n >= 0 && n < 1e9) {
			return errors.New("must be a number of seconds, 0 or more")
		}
		*to = explicitLimit(time.Duration(n * float64(time.Second)))
		return nil
	}
}

// explicitLimit returns a limit as the server takes it: there 0 means the default, so an explicit 0
// becomes negative.
func explicitLimit[T int | time.Duration](n T) T {
	if n == 0 {
		return -1
	}
	return n
}

// within reports a number outside of the bounds that the server holds anyway.
func within(least, most float64, set setter) setter {
	return func(v string) error {
		if err := set(v); err != nil {
			return err
		}
		n, _ := strconv.ParseFloat(v, 64)
		switch {
		case n < least:
			return beyondError{"must be at least", least}
		case n > most:
			return beyondError{"must be at most", most}
		}
		return nil
	}
}

// A beyondError is about a number of which the server uses the bound.
type beyondError struct {
	rule  string
	bound float64
}

func (e beyondError) Error() string { return e.rule + " " + e.used() }

func (e beyondError) used() string { return strconv.FormatFloat(e.bound, 'f', -1, 64) }

// remoteKey sets one of the two members that may contain the secret.
func remoteKey(s *Settings, i int) setter {
	return func(v string) error {
		s.Secret.Keys = append(slices.Clone(s.Secret.Keys), make([]string, 2)...)[:2]
		s.Secret.Keys[i] = v
		return nil
	}
}

// remoteToken sets the secret of calls.
func remoteToken(to *string) setter {
	return func(v string) error {
		*to = v
		if n := utf8.RuneCountInString(v); n > 0 && n < middleware.MinSecret {
			return fmt.Errorf("has %d characters, and must have at least %d; `openssl rand -hex 32` makes one", n,
				middleware.MinSecret)
		}
		return nil
	}
}

func toolLimits(to *server.ScriptLimits) setter {
	return func(v string) (err error) {
		if strings.Trim(v, ", \t\n") == "" {
			return errors.New("names no limit; write processes=512,memory=2G, or none")
		}
		*to, err = server.ParseScriptLimits(v)
		return err
	}
}

func cgroup(to *string) setter {
	return func(v string) error {
		*to = v
		switch {
		case v == "":
			return nil
		case !filepath.IsAbs(v):
			return errors.New("must be an absolute path")
		}
		return process.CheckCgroup(v)
	}
}

func transport(v string) error {
	if v != "stdio" {
		return errors.New("the only transport is stdio")
	}
	return nil
}

// mode sets how much of the environment scripts see; least is the value for the minimum.
func mode(to *server.Mode, least string) setter {
	return choice(to, least+", allowlist or inherit",
		map[string]server.Mode{least: server.Minimal, "allowlist": server.Allowlist, "inherit": server.Inherit})
}

// projectHooks sets which hooks of a project run.
func projectHooks(to *server.Hooks) setter {
	hooks := map[string]server.Hooks{"unset": server.GuardHooks}
	for name, on := range switches {
		hooks[name] = server.NoHooks
		if on {
			hooks[name] = server.AllHooks
		}
	}
	return choice(to, "true or false", hooks)
}

// logFormat sets whether log lines are JSON.
func logFormat(to *bool) setter {
	return choice(to, "text or json", map[string]bool{"text": false, "json": true})
}

// SetLogFormat sets how log lines are written.
func SetLogFormat(s *Settings, v string) error { return logFormat(&s.LogJSON)(v) }

func logLevel(to *slog.Level) setter {
	return choice(to, "debug, info, warning or error", map[string]slog.Level{
		"debug": slog.LevelDebug, "true": slog.LevelDebug, "1": slog.LevelDebug,
		"info": slog.LevelInfo, "notice": slog.LevelInfo, "false": slog.LevelInfo, "0": slog.LevelInfo,
		"warning": slog.LevelWarn, "warn": slog.LevelWarn,
		"error": slog.LevelError, "critical": slog.LevelError, "alert": slog.LevelError, "emergency": slog.LevelError,
	})
}
