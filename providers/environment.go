package providers

// always are what programs need to work at all.
var always = []string{
	"PATH", "HOME", "SHELL", "TMPDIR", "LANG",
	"SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "TEMP", "TMP", "USERPROFILE", // Windows
}
