package clients

import (
	"os"
	"path"
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

// A userFile is a file of a client in a folder of its user.
type userFile struct {
	on       string // the only system that has it: windows, darwin, or linux, for all others; empty for every system
	variable string // that names its folder, if it is set
	folder   folder
	path     string // in that, with slashes; a * stands for what the publisher of a package adds to its name
}

// A folder is a folder of a user.
type folder int

const (
	home    folder = iota
	xdg            // ~/.config
	roaming        // %APPDATA%
	local          // %LOCALAPPDATA%
	desktop        // that of desktop programs, by the conventions of the system
)

// find returns the path of a file, empty if the machine has none.
func (m Machine) find(f userFile) string {
	system := m.OS
	if system != "windows" && system != "darwin" {
		system = "linux"
	}
	if dir := m.Env[f.variable]; dir != "" {
		return m.join(dir, path.Base(f.path))
	}
	if f.on != "" && f.on != system {
		return ""
	}
	if f.folder == desktop {
		f.folder = map[string]folder{"windows": roaming, "linux": xdg}[system]
		if system == "darwin" {
			f.path = "Library/Application Support/" + f.path
		}
	}
	moved := [...]struct{ variable, path string }{
		home:    {},
		xdg:     {"XDG_CONFIG_HOME", ".config/"},
		roaming: {"APPDATA", "AppData/Roaming/"},
		local:   {"LOCALAPPDATA", "AppData/Local/"},
	}[f.folder]
	if dir := m.Env[moved.variable]; dir != "" {
		return m.join(dir, strings.Split(f.path, "/")...)
	}
	if m.Home == "" {
		return "" // not a path below the root of the system
	}
	return m.join(m.Home, strings.Split(moved.path+f.path, "/")...)
}

// installed returns the path of the package that is installed for a path with a *, which no other path on Windows has.
func (m Machine) installed(file string) (string, bool) {
	before, after, ok := strings.Cut(file, "*")
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
