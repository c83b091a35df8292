package clients

import "strings"

// A Machine is the machine that clients run on. Paths have the form of OS, whatever system this
// program runs on.
type Machine struct {
	OS   string            // as in runtime.GOOS: linux, darwin, windows
	Home string            // the user's home folder, absolute; empty if it is not known
	Env  map[string]string // the user's variables; XDG_CONFIG_HOME, APPDATA, CODEX_HOME and the like move files
}

// join joins the parts of a path.
func (m Machine) join(folder string, names ...string) string {
	separator := "/"
	if m.OS == "windows" {
		separator = `\`
	}
	return strings.TrimRight(folder, `/\`) + separator + strings.Join(names, separator)
}

// home returns a path in the home folder, empty if that is not known.
func (m Machine) home(names ...string) string {
	if m.Home == "" {
		return "" // not a path below the root of the system
	}
	return m.join(m.Home, names...)
}

// or returns a path in the folder that the variable names, or else in that folder of the home folder.
func (m Machine) or(variable, folder string, names ...string) string {
	if dir := m.Env[variable]; dir != "" {
		return m.join(dir, names...)
	}
	return m.home(append(strings.Split(folder, "/"), names...)...)
}

// xdg returns a path for programs that use ~/.config on every system.
func (m Machine) xdg(names ...string) string { return m.or("XDG_CONFIG_HOME", ".config", names...) }

// roaming returns a path in %APPDATA%.
func (m Machine) roaming(names ...string) string {
	return m.or("APPDATA", "AppData/Roaming", names...)
}

// desktop returns a path for desktop programs that follow the conventions of each system.
func (m Machine) desktop(names ...string) string {
	switch m.OS {
	case "windows":
		return m.roaming(names...)
	case "darwin":
		return m.home(append([]string{"Library", "Application Support"}, names...)...)
	}
	return m.xdg(names...)
}
