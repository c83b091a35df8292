package bundle

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
	"github.com/mcp-bash/mcp-bash/v2/internal/lazyregexp"
)

// settingsBytes is the maximum size of MCPB_USER_CONFIG_FILE.
const settingsBytes = 256 << 10

// launch fills in how the server is started on each platform.
func (m *maker) launch() {
	platforms := m.platforms()
	if len(platforms) == 0 {
		return // reported already
	}
	env := m.env()
	entry, l := entryPoint, Launch{Command: Command{Program: "${__dirname}/" + entryPoint, Args: m.arguments(), Env: env}}
	windows := Command{Program: "${__dirname}/" + Windows.program(), Args: []string{"serve"}}
	if m.Programs[Windows] == "" {
		windows.Program = "mcp-bash" // an installed mcp-bash
	}
	switch {
	case platforms[0] == Windows: // the only platform
		entry, l.Command.Program, l.Command.Args = Windows.program(), windows.Program, windows.Args
	case slices.Contains(platforms, Windows):
		m.override(&l, Windows, windows)
	}
	for _, p := range slices.Sorted(maps.Keys(m.said.PlatformOverrides)) {
		o := m.said.PlatformOverrides[p]
		if o.Env != nil { // it replaces the other Env as a whole
			env := maps.Clone(l.Env)
			maps.Copy(env, o.Env)
			o.Env = env
		}
		m.override(&l, p, o)
	}
	m.Manifest.Server = Server{Type: "binary", EntryPoint: entry, Config: l}
}

// override sets what differs on a platform.
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

// env returns the variables that the server is started with.
func (m *maker) env() map[string]string {
	env := map[string]string{"MCPBASH_PROJECT_ROOT": "${__dirname}/" + home}
	if m.Registry != "" {
		env["MCPBASH_STATIC_REGISTRY"] = "1"
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
		m.Manifest.UserConfig = describeSettings(text, settings)
	}
	var scripts []string // variables for scripts
	unused := make(map[string]bool)
	for _, s := range settings {
		unused[s.Key] = true
	}
	for _, key := range m.Config.UserConfigArgs {
		if _, known := unused[key]; !known {
			m.refuse("MCPB_USER_CONFIG_ARGS_MAP: setting %q is not defined in %s", key, field)
		}
		unused[key] = false
	}
	for _, key := range slices.Sorted(maps.Keys(m.Config.UserConfigEnv)) {
		variable := m.Config.UserConfigEnv[key]
		if _, known := unused[key]; !known {
			m.refuse("MCPB_USER_CONFIG_ENV_MAP: setting %q is not defined in %s", key, field)
			continue
		}
		switch {
		case !variableName.Get().MatchString(variable):
			m.refuse("MCPB_USER_CONFIG_ENV_MAP: %s=%s: %q is not a valid POSIX identifier; use letters, digits and _", key,
				variable, variable)
		case env[variable] != "":
			m.refuse("MCPB_USER_CONFIG_ENV_MAP: %s=%s: duplicate env var name; give each setting a variable of its own", key,
				variable)
		case strings.HasPrefix(variable, "MCPBASH_"):
			m.warn("MCPB_USER_CONFIG_ENV_MAP: %s=%s collides with reserved MCPBASH namespace: the setting changes what the "+
				"server does, if that is a variable of it", key, variable)
		}
		unused[key] = false
		env[variable] = "${user_config." + key + "}"
		if !strings.HasPrefix(variable, "MCP") {
			scripts = append(scripts, variable)
		}
	}
	if len(scripts) > 0 { // by default scripts get few variables
		slices.Sort(scripts)
		list := strings.Join(scripts, ",")
		env["MCPBASH_TOOL_ENV_MODE"], env["MCPBASH_TOOL_ENV_ALLOWLIST"] = "allowlist", list
		env["MCPBASH_PROVIDER_ENV_MODE"], env["MCPBASH_PROVIDER_ENV_ALLOWLIST"] = "allowlist", list
	}
	for _, s := range settings {
		if unused[s.Key] {
			m.warn("%s: nothing reads the setting %s; make it a variable with MCPB_USER_CONFIG_ENV_MAP", field, s.Key)
		}
	}
	return env
}

// arguments returns the arguments that the server is started with: folders that users choose.
func (m *maker) arguments() (all []string) {
	for _, key := range m.Config.UserConfigArgs {
		all = append(all, "${user_config."+key+"}")
	}
	return all
}

// generatedAt matches the time at which a list was written.
var generatedAt = lazyregexp.New(`"generatedAt": "[^"]*"`)

// listBytes is the maximum size of a list.
const listBytes = 100 << 20

// registry adds the lists in a folder to the files of the project, without the time at which they
// were written.
func registry(dir string, all map[string]File) error {
	for _, name := range []string{"tools.json", "resources.json", "resource-templates.json", "prompts.json"} {
		data, err := files.Read(filepath.Join(dir, name), listBytes)
		if err != nil {
			return fmt.Errorf("the list %s was not written: %w", name, err)
		}
		data = generatedAt.Get().ReplaceAll(data, []byte(`"generatedAt": "`+epoch.Format("2006-01-02T15:04:05Z")+`"`))
		all[".registry/"+name] = File{Data: data}
	}
	return nil
}
