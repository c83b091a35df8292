package clients

// desktopVariables are the variables that a desktop program passes to the servers it starts.
var desktopVariables = map[string][]string{
	"darwin": {"HOME", "USER", "LOGNAME", "SHELL", "TMPDIR"},
	"windows": {"APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATH", "PATHEXT",
		"PROCESSOR_ARCHITECTURE", "PROGRAMDATA", "PROGRAMFILES", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP", "USERNAME",
		"USERPROFILE", "WINDIR"},
	"linux": {"HOME", "USER", "LOGNAME", "SHELL", "LANG", "TMPDIR", "XDG_RUNTIME_DIR"},
}

// desktopPath is the PATH of desktop programs. It does not contain what shells add in their startup
// files, such as /opt/homebrew/bin or ~/.local/bin. On Windows all programs have the same PATH.
var desktopPath = map[string]string{
	"darwin": "/usr/bin:/bin:/usr/sbin:/sbin",
	"linux":  "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
}

// Environment returns the variables, as NAME=value, that a desktop program has when it is started
// from the dock or the menu, and that the servers it starts have.
func Environment(m Machine) []string {
	system := m.OS
	if desktopVariables[system] == nil {
		system = "linux"
	}
	var env []string
	if path := desktopPath[system]; path != "" {
		env = append(env, "PATH="+path)
	}
	given := m.Env
	if system == "windows" { // names are case-insensitive there
		given = upper(m.Env)
	}
	for _, name := range desktopVariables[system] {
		value, set := given[name]
		if name == "HOME" {
			value, set = m.Home, m.Home != ""
		}
		if set {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// Environment returns the variables, as NAME=value, that the client passes to the servers it starts:
// all of the user's if the client is started from a shell, otherwise those of desktop programs.
func (c Client) Environment(m Machine) []string {
	if !c.Terminal {
		return Environment(m)
	}
	var env []string
	for _, v := range variables(m.Env) {
		env = append(env, v.name+"="+v.value.(string))
	}
	return env
}
