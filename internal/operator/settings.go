// Package operator reads the operator's settings from environment variables: one table of them, for
// all programs that serve a project.
package operator

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/server"
)

// Settings are the settings in the environment, read once at startup. Options are those that the
// server itself takes.
type Settings struct {
	server.Options
	Root        string // of the project
	StateParent string // folder in which the private folder is made
	Temp        string // the same, if StateParent is empty

	// Refusal is why nothing may be served: variables that restrict, and cannot be read. Nil: there are none.
	Refusal error

	envInherit         bool
	providerEnvInherit bool
	EnvFaults          []string // what is wrong with server.d/env.sh

	OrphanCheck    bool
	OrphanInterval time.Duration
	idleCheck      bool
	CI             bool
	LogDir         string
	MaxRegistry    int
	MaxMemory      int

	StreamStderr  bool
	LogLevel      slog.Level
	DebugPayloads bool
	LogCalls      bool
	LogJSON       bool
	LogFile       string
	PreserveState bool
}

// Map converts NAME=value pairs to a map; of duplicates the last counts.
func Map(environ []string) map[string]string {
	env := make(map[string]string, len(environ))
	for _, v := range environ {
		name, value, _ := strings.Cut(v, "=")
		env[name] = value
	}
	return env
}

// Read reads the table from env. An invalid value of a variable that restricts is a part of Settings.Refusal.
// Any other is reported in a complaint, and the default is used; for a number outside of its bounds, the bound.
func Read(env map[string]string) (s Settings, complaints []string) {
	for _, v := range Variables(&s) {
		if err := v.Set(v.Fallback); err != nil {
			panic(v.Name + ": " + err.Error())
		}
		name, value := v.Name, env[v.Name]
		if older := v.Older(); value == "" && older != "" {
			name, value = older, env[older]
		}
		if value == "" {
			continue
		}
		err := v.Set(value)
		if beyond := (beyondError{}); errors.As(err, &beyond) {
			complaints = append(complaints, fmt.Sprintf("%s=%s: %v; using %s", name, value, err, beyond.used()))
		} else if err != nil && v.Restricts() {
			if v.Rules&secret == 0 {
				name += "=" + value
			}
			s.refuse(fmt.Errorf("%s: %w", name, err))
		} else if err != nil {
			complaints = append(complaints, fmt.Sprintf("%s=%s: %v; using %s", name, value, err, v.Fallback))
			v.Set(v.Fallback)
		}
	}
	if s.CI {
		s.idleCheck, s.OrphanCheck = false, false
	}
	if !s.idleCheck {
		s.Limits.Idle = 0
	}
	complaints = append(complaints, UnknownVariables(env)...)
	if s.ToolEnv.Mode == server.Inherit && !s.envInherit {
		complaints = append(complaints, "MCPBASH_TOOL_ENV_MODE=inherit needs MCPBASH_TOOL_ENV_INHERIT_ALLOW=true; using "+
			"minimal")
		s.ToolEnv.Mode = server.Minimal
	}
	if s.ProviderEnv.Mode == server.Inherit && !s.providerEnvInherit {
		complaints = append(complaints, "MCPBASH_PROVIDER_ENV_MODE=inherit needs MCPBASH_PROVIDER_ENV_INHERIT_ALLOW=true; "+
			"using isolate")
		s.ProviderEnv.Mode = server.Minimal
	}
	for _, list := range []struct {
		of       server.Visibility
		variable string
	}{{s.ToolEnv, "MCPBASH_TOOL_ENV"}, {s.ProviderEnv, "MCPBASH_PROVIDER_ENV"}} {
		if len(list.of.Allow) > 0 && list.of.Mode == server.Minimal {
			complaints = append(complaints, list.variable+"_ALLOWLIST has no effect without "+list.variable+"_MODE=allowlist")
		}
	}
	return s, complaints
}

// refuse adds a reason to the refusal, which stays on one line.
func (s *Settings) refuse(why error) {
	if s.Refusal != nil {
		why = fmt.Errorf("%w; %w", s.Refusal, why)
	}
	s.Refusal = why
}

// ServerOptions returns the settings as options of a server, without those that each program adds.
func (s Settings) ServerOptions(env map[string]string, log *slog.Logger) server.Options {
	o := s.Options
	o.Environ, o.Secrets, o.Settings = Pairs(env), secrets(), operatorOnly()
	o.Log = log
	return o
}

// Pairs returns an environment as NAME=value, in any order.
func Pairs(env map[string]string) []string {
	all := make([]string, 0, len(env))
	for name, value := range env {
		all = append(all, name+"="+value)
	}
	return all
}
