package providers

// alwaysPassed are variables that programs need to work at all.
var alwaysPassed = []string{
	"PATH", "HOME", "SHELL", "TMPDIR", "LANG",
	"SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "TEMP", "TMP", "USERPROFILE", // Windows
}
