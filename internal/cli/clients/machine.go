package clients

import (
	"os"
	"strings"
)

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

// packaged returns the path in the folder that Windows gives to an app of the Store in place of %APPDATA%.
// The name of the package ends in a *, for what its publisher adds.
func (m Machine) packaged(name string, names ...string) []string {
	if m.OS != "windows" {
		return nil
	}
	folder := append([]string{"Packages", name, "LocalCache", "Roaming"}, names...)
	return []string{m.or("LOCALAPPDATA", "AppData/Local", folder...)}
}

// flatpak returns the path in the folder that Flatpak gives to an app in place of ~/.config.
func (m Machine) flatpak(app string, names ...string) []string {
	if m.OS != "linux" {
		return nil
	}
	return []string{m.home(append([]string{".var", "app", app, "config"}, names...)...)}
}

// installed returns the path of the package that is installed for a path of packaged, whose * no path on
// Windows has.
func (m Machine) installed(path string) (string, bool) {
	before, after, ok := strings.Cut(path, "*")
	if !ok || m.OS != "windows" {
		return "", false
	}
	at := strings.LastIndex(before, `\`)
	entries, _ := os.ReadDir(before[:at])
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), before[at+1:]) {
			return m.join(before[:at], e.Name()) + after, true
		}
	}
	return "", false
}
