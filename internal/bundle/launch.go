package bundle

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// settingsBytes is how large MCPB_USER_CONFIG_FILE may be.
const settingsBytes = 256 << 10

// launch says how the server is started, on each platform.
func (m *maker) launch() {
	platforms := m.platforms()
	if len(platforms) == 0 {
		return // told already
	}
	start := func(p Platform) string { return "${__dirname}/" + p.program() }
	l := Launch{Command: Command{Program: start(platforms[0]), Args: []string{"serve"}, Env: m.env()}}
	for _, p := range platforms[1:] {
		m.override(&l, p, Command{Program: start(p)})
	}
	for _, p := range slices.Sorted(maps.Keys(m.said.PlatformOverrides)) {
		o := m.said.PlatformOverrides[p]
		if !slices.Contains(platforms, p) {
			m.warn("%s: platform_overrides.%s is left out: the bundle is for %s", m.metaFile, p, names(platforms))
			continue
		}
		if o.Env != nil { // it replaces the other one as a whole
			env := maps.Clone(l.Env)
			maps.Copy(env, o.Env)
			o.Env = env
		}
		m.override(&l, p, o)
	}
	m.Manifest.Server = Server{Type: "binary", EntryPoint: platforms[0].program(), Config: l}
}

// override sets what differs on one platform.
func (m *maker) override(l *Launch, p Platform, c Command) {
	if l.PlatformOverrides == nil {
		l.PlatformOverrides = make(map[Platform]Command)
	}
	o := l.PlatformOverrides[p]
	if c.Program != "" {
		o.Program = c.Program
	}
	if c.Args != nil {
		o.Args = c.Args
	}
	if c.Env != nil {
		o.Env = c.Env
	}
	l.PlatformOverrides[p] = o
}

// env are the variables that the server is started with.
func (m *maker) env() map[string]string {
	env := map[string]string{"MCPBASH_PROJECT_ROOT": "${__dirname}/" + m.home()}
	if m.Registry != "" {
		env["MCPBASH_STATIC_REGISTRY"] = "true"
	}
	field, text := m.metaFile+": user_config", m.said.UserConfig
	if m.UserConfigFile != "" {
		field, text = m.UserConfigFile, m.read("MCPB_USER_CONFIG_FILE", m.UserConfigFile, settingsBytes)
	}
	settings, err := ParseSettings(text)
	if err != nil {
		m.refuse("%s: %w", field, err)
		return env
	}
	if len(settings) > 0 {
		m.Manifest.UserConfig = text
	}
	var scripts []string // variables that are meant for them
	unused := make(map[string]bool)
	for _, s := range settings {
		unused[s.Key] = true
	}
	for _, key := range slices.Sorted(maps.Keys(m.Config.UserConfigEnv)) {
		variable := m.Config.UserConfigEnv[key]
		if _, known := unused[key]; !known {
			m.refuse("MCPB_USER_CONFIG_ENV_MAP: %s has no setting %q", field, key)
		}
		if !variableName.MatchString(variable) || env[variable] != "" {
			m.refuse("MCPB_USER_CONFIG_ENV_MAP: %s cannot become %q; name a variable that nothing else is", key, variable)
		}
		unused[key] = false
		env[variable] = "${user_config." + key + "}"
		if !strings.HasPrefix(variable, "MCP") {
			scripts = append(scripts, variable)
		}
	}
	if len(scripts) > 0 { // they get few variables otherwise
		slices.Sort(scripts)
		list := strings.Join(scripts, ",")
		env["MCPBASH_TOOL_ENV_MODE"], env["MCPBASH_TOOL_ENV_ALLOWLIST"] = "allowlist", list
		env["MCPBASH_PROVIDER_ENV_MODE"], env["MCPBASH_PROVIDER_ENV_ALLOWLIST"] = "allowlist", list
	}
	if len(m.Config.UserConfigArgs) > 0 {
		m.warn("arguments made of settings are left out, for the server takes none; make %s variables with MCPB_USER_CONFIG_ENV_MAP", strings.Join(m.Config.UserConfigArgs, ", "))
	}
	for _, s := range settings {
		if unused[s.Key] {
			m.warn("%s: nothing reads the setting %s; make it a variable with MCPB_USER_CONFIG_ENV_MAP", field, s.Key)
		}
	}
	return env
}

// generatedAt is when a list was written.
var generatedAt = regexp.MustCompile(`"generatedAt": "[^"]*"`)

// registry are the files of the lists in a folder, without the time at which they were written.
func registry(dir, prefix string) ([]File, error) {
	var all []File
	for _, name := range []string{"tools.json", "resources.json", "resource-templates.json", "prompts.json"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, fmt.Errorf("the list %s was not written: %w", name, err)
		}
		data = generatedAt.ReplaceAll(data, []byte(`"generatedAt": "`+epoch.Format("2006-01-02T15:04:05Z")+`"`))
		all = append(all, File{Path: prefix + name, Data: data})
	}
	return all, nil
}
