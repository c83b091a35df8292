//go:build unix

package doctor

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/check"
	"github.com/mcp-bash/mcp-bash/v2/internal/hooks"
	"github.com/mcp-bash/mcp-bash/v2/internal/process"
)

const usualPath = "/usr/local/bin:/usr/bin:/bin"

// projectOf writes files, each a name and a text, into a new folder. Those that begin with #! may
// be executed.
func projectOf(t *testing.T, files ...string) (root string) {
	t.Helper()
	root = t.TempDir()
	for i := 0; i < len(files); i += 2 {
		path := filepath.Join(root, files[i])
		mode := fs.FileMode(0o644)
		if strings.HasPrefix(files[i+1], "#!") {
			mode = 0o755
		}
		for _, err := range []error{os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(files[i+1]), mode), os.Chmod(path, mode), os.Chmod(root, 0o755)} {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	return root
}

// options are those of a machine that nothing is wrong with.
func options(t *testing.T, root string) Options {
	runner, bash := &process.Runner{}, bashPath(t)
	o := Options{
		Program: "/bin/sh", Version: "1.2.0", System: "linux/amd64",
		Env: map[string]string{"PATH": usualPath}, Desktop: []string{"PATH=" + usualPath}, Temp: t.TempDir(),
		Meant: func(name string) string { return map[string]string{"MCPBASH_PAGE_SIZ": "MCPBASH_PAGE_SIZE"}[name] },
		Root:  root, ServerDir: filepath.Join(root, "server.d"), RegistryDir: filepath.Join(root, ".registry"),
		Check: check.Options{Runner: runner, Env: []string{"PATH=" + usualPath}, ShellCheck: "/usr/bin/shellcheck"},
		Health: hooks.Host{
			Root: root, ServerDir: filepath.Join(root, "server.d"), Rules: hooks.Rules{Allowed: true}, Runner: runner,
			Bash: func() string { return bash }, Env: func() []string { return []string{"PATH=" + usualPath, "SET=1"} },
		},
	}
	return o
}

func bashPath(t *testing.T) string {
	path := onPath("bash", usualPath)
	if path == "" {
		t.Skip("bash is not installed, so what doctor finds out about it is not tested")
	}
	return path
}

// ids are the severities and ids of findings, with blanks between.
func ids(r Report) string {
	var all []string
	for _, f := range r.Findings {
		all = append(all, string(f.Severity)+" "+f.ID)
	}
	return strings.Join(all, " ")
}

func examined(t *testing.T, o Options) Report {
	t.Helper()
	r, err := Examine(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestNothingIsWrongWithAGoodMachine(t *testing.T) {
	is := is.New(t)
	r := examined(t, options(t, projectOf(t, "tools/a/tool.sh", "#!/usr/bin/env bash\necho\n")))
	is.Equal(ids(r), "")
	is.Equal(r.ExitCode, 0)
	is.Equal(r.Project.Tools, 1)
	is.True(r.Project.ServerMetaValid)
	is.True(r.Runtime.TempRootWritable)
	is.True(r.Runtime.TempRootExecutes)
	is.True(strings.Count(r.Runtime.BashVersion, ".") >= 1) // as in 5.2.15
}

func TestWhatTheDoctorFinds(t *testing.T) {
	tool := func(line string) []string { return []string{"tools/a/tool.sh", "#!/bin/sh\n" + line + "\n"} }
	for name, c := range map[string]struct {
		files  []string
		change func(o *Options)
		want   string
	}{
		"no bash":             {nil, func(o *Options) { o.Env = nil }, "error runtime.bash_missing"},
		"no bash on desktop":  {nil, func(o *Options) { o.Desktop = nil }, "warning desktop.bash_missing"},
		"no temp":             {nil, func(o *Options) { o.Temp = "/no/such/folder" }, "error runtime.tmp_root_missing"},
		"too old":             {nil, func(o *Options) { o.MinVersion = "1.10" }, "error framework.version_too_old"},
		"old enough":          {nil, func(o *Options) { o.MinVersion = "1.2.0-rc.1" }, ""},
		"no version":          {nil, func(o *Options) { o.MinVersion = "new" }, "error doctor.min_version_invalid"},
		"variable":            {nil, func(o *Options) { o.Env["MCPBASH_PAGE_SIZ"] = "1" }, "warning env.unknown_variable"},
		"variable of scripts": {nil, func(o *Options) { o.Env["MCPBASH_MINE"] = "1" }, ""},
		"missing program":     {tool("no-such-program"), nil, "warning deps.missing"},
		"optional program":    {tool("command -v no-such-program && no-such-program"), nil, ""},
		"jq is there":         {tool("jq ."), func(o *Options) { o.Env["PATH"] = filepath.Dir("/bin/bash") }, ""},
		"desktop misses":      {tool("ls"), func(o *Options) { o.Desktop = []string{"PATH=/nowhere"} }, "warning desktop.bash_missing warning desktop.program_missing"},
		"permissions":         {append(tool("true"), "tools/b/tool.sh", " echo\n"), nil, "error project.not_executable"},
		"line ends":           {tool("true\r"), nil, "warning project.line_endings"},
		"broken metadata":     {append(tool("true"), "tools/a/tool.meta.json", "{"), nil, "error project.invalid"},
		"ignored metadata":    {append(tool("true"), "tools/a/tool.meta.json", `{"timeoutSecs": "30"}`), nil, "warning project.metadata"},
		"server metadata":     {append(tool("true"), "server.d/server.meta.json", "{"), nil, "warning project.server_meta_invalid"},
		"no registry":         {tool("true"), func(o *Options) { o.Check.Project.Static = true }, "warning project.registry_missing"},
		"requirements":        {[]string{"server.d/requirements.json", `{"dependencies": [{"name": "bash"}, {"name": "no-such-a", "or": ["no-such-b"]}]}`}, nil, "error deps.missing"},
		"alternatives":        {[]string{"server.d/requirements.json", `{"dependencies": [{"name": "no-such-a", "or": ["bash"]}]}`}, nil, ""},
		"newer wanted":        {[]string{"server.d/requirements.json", `{"framework": {"minVersion": "2"}}`}, nil, "error framework.version_too_old"},
		"bad requirements":    {[]string{"server.d/requirements.json", `{"dependencies": "bash"}`}, nil, "error project.requirements_invalid"},
		"health":              {[]string{"server.d/health-checks.sh", "mcp_health_check_env UNSET\n"}, nil, "error project.health_check_failed"},
		"health not allowed":  {[]string{"server.d/health-checks.sh", "false\n"}, func(o *Options) { o.Health.Rules, o.Check.Hooks = hooks.Rules{}, hooks.Rules{} }, "warning project.hook_not_allowed"},
	} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			o := options(t, projectOf(t, c.files...))
			o.Check.Hooks = hooks.Rules{Allowed: true}
			if c.change != nil {
				c.change(&o)
			}
			r := examined(t, o)
			is.Equal(ids(r), c.want)
			is.Equal(r.ExitCode == 1, strings.Contains(c.want, "error")) // errors fail, warnings do not
			is.Equal(r.Errors, strings.Count(c.want, "error"))
			is.Equal(r.Warnings, strings.Count(c.want, "warning"))
			for _, f := range r.Findings {
				is.True(f.Message != "")                                                                        // says what is wrong
				is.True(!strings.Contains(f.Message+f.Command, usualPath) || f.ID == "desktop.program_missing") // and keeps the user's PATH to itself
			}
		})
	}
}

func TestTheDoctorMendsWhatValidateMends(t *testing.T) {
	is := is.New(t)
	o := options(t, projectOf(t, "tools/a/tool.sh", "#!/bin/sh\necho\r\n"))
	r := examined(t, o)
	is.Equal(len(r.ProposedActions), 1) // it says how
	is.Equal(r.ProposedActions[0].Command, "mcp-bash doctor --fix")
	o.Check.Fix = true
	r = examined(t, o)
	is.Equal(ids(r), "")
	is.Equal(len(r.ActionsTaken), 1)
}

func TestWithoutAProjectTheMachineIsExamined(t *testing.T) {
	is := is.New(t)
	o := options(t, "")
	r := examined(t, o)
	is.Equal(ids(r), "")
	is.True(r.Project == nil)
}

func TestTheChecksOfAProject(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"good":              {"mcp_health_check_command bash\nmcp_health_check_env SET\n", ""},
		"command":           {"mcp_health_check_command no-such-program\n", "no-such-program is not on PATH"},
		"its own words":     {"mcp_health_check_command no-such-program 'install it'\n", "install it"},
		"variable":          {"mcp_health_check_env UNSET\n", "UNSET is not set"},
		"all are told":      {"mcp_health_check_env A; mcp_health_check_env B; true\n", "A is not set B is not set"},
		"exit does not win": {"mcp_health_check_env UNSET; exit 0\n", "UNSET is not set"},
		"exit":              {"exit 3\n", "exit code 3"},
		"what it says":      {"echo down; false\n", "down"},
		"syntax":            {"if\n", "syntax error"},
	} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			err := HealthChecks(t.Context(), options(t, projectOf(t, "server.d/health-checks.sh", c.text)).Health)
			is.Equal(errors.Is(err, ErrUnhealthy), c.want != "")
			if c.want != "" {
				is.True(strings.Contains(err.Error(), c.want)) // says what is wrong
			}
		})
	}
}

func TestChecksThatMayNotRunAreToldApart(t *testing.T) {
	is := is.New(t)
	h := options(t, projectOf(t)).Health
	is.NoErr(HealthChecks(t.Context(), h)) // there are none
	root := projectOf(t, "server.d/health-checks.sh", "false\n")
	h = options(t, root).Health
	is.NoErr(os.Chmod(filepath.Join(root, "server.d/health-checks.sh"), 0o666))
	is.True(errors.Is(HealthChecks(t.Context(), h), fs.ErrPermission)) // others can write them
	h.Rules.Allowed = false
	is.True(errors.Is(HealthChecks(t.Context(), h), hooks.ErrNotAllowed)) // the operator has not allowed them
}

func TestVersionsAreCompared(t *testing.T) {
	for _, c := range []struct {
		a, b string
		less bool
	}{
		{"1.2.3", "1.2.4", true}, {"1.10", "1.9", false}, {"v1", "1.0.1", true}, {"1.0.0-rc.1", "1.0.0", true},
		{"1.0.0", "1.0.0-rc.1", false}, {"1.0.0+build", "1.0.0", false}, {"3.2.57", "3.2", false},
		{"1.0.0-rc.9", "1.0.0-rc.10", true}, {"9", "99999999999999999999", true},
	} {
		is := is.New(t)
		is.True(IsVersion(c.a))
		is.True(IsVersion(c.b))
		is.Equal(older(c.a, c.b), c.less) // a comes before b
	}
	for _, text := range []string{"", "x", "1.", "1.2.3.4", "-1", "vv1"} {
		is := is.New(t)
		is.True(!IsVersion(text))
		is.True(older(text, "0.0.1"))
	}
}

// FuzzRequirements holds that whatever a project says it needs is read or refused.
func FuzzRequirements(f *testing.F) {
	for _, seed := range []string{`{}`, `{"framework":{"minVersion":"1"},"dependencies":[{"name":"a","or":["b"]}]}`, `{"dependencies":[{}]}`, `[`, `{"dependencies":"x"}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := ParseRequirements(text)
		if err != nil {
			return
		}
		for _, d := range r.Dependencies {
			if d.Name == "" && len(d.Or) == 0 {
				t.Errorf("%q: a dependency without a name", text)
			}
		}
	})
}

func TestAMissingShellcheckIsNamed(t *testing.T) {
	is := is.New(t)
	o := options(t, t.TempDir())
	sound := ids(examined(t, o))
	o.Check.ShellCheck = ""
	is.True(!strings.Contains(sound, "deps.shellcheck"))
	is.True(strings.Contains(ids(examined(t, o)), "info deps.shellcheck"))
}
