package clients

import "strings"

// A Machine is where clients are looked for. Paths are written as OS writes them, whatever system
// this program runs on.
type Machine struct {
	OS   string            // as in runtime.GOOS: linux, darwin, windows
	Home string            // the user's home folder, absolute
	Env  map[string]string // the user's variables; XDG_CONFIG_HOME, APPDATA, CODEX_HOME and the like move files
}

// join puts a path together.
func (m Machine) join(folder string, names ...string) string {
	separator := "/"
	if m.OS == "windows" {
		separator = `\`
	}
	return strings.TrimRight(folder, `/\`) + separator + strings.Join(names, separator)
}

// home is a path in the home folder.
func (m Machine) home(names ...string) string { return m.join(m.Home, names...) }

// or is a path in the folder that the variable names, else in the home folder's own.
func (m Machine) or(variable, folder string, names ...string) string {
	if dir := m.Env[variable]; dir != "" {
		return m.join(dir, names...)
	}
	return m.home(append(strings.Split(folder, "/"), names...)...)
}

// xdg is a path where programs look that keep to ~/.config on every system.
func (m Machine) xdg(names ...string) string { return m.or("XDG_CONFIG_HOME", ".config", names...) }

// roaming is a path in %APPDATA%.
func (m Machine) roaming(names ...string) string {
	return m.or("APPDATA", "AppData/Roaming", names...)
}

// desktop is a path where desktop programs look that keep to the customs of each system.
func (m Machine) desktop(names ...string) string {
	switch m.OS {
	case "windows":
		return m.roaming(names...)
	case "darwin":
		return m.home(append([]string{"Library", "Application Support"}, names...)...)
	}
	return m.xdg(names...)
}
