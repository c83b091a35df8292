package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// usableTemp makes sure that there is a folder for temporary files. If the environment names one
// that does not exist, it is created; if that fails, another folder is used, for scripts too, and
// the complaint reports it.
func (p program) usableTemp() (complaint string) {
	variable, named := "MCPBASH_TMP_ROOT", p.env["MCPBASH_TMP_ROOT"]
	if named == "" {
		variable, named = "TMPDIR", p.env["TMPDIR"]
	}
	if named == "" || runtime.GOOS == "windows" && variable == "TMPDIR" {
		return ""
	}
	why := holdsFiles(named)
	if why == nil {
		return ""
	}
	for _, other := range otherTemps() {
		if holdsFiles(other) == nil {
			p.env[variable], p.env["TMPDIR"] = other, other
			os.Setenv("TMPDIR", other) // for temporary files of this process
			return fmt.Sprintf("%s=%s: %v; using %s", variable, named, why, other)
		}
	}
	return "" // code that needs the folder reports it
}

// holdsFiles creates the folder if it is missing, and returns an error if no file can be created in it.
func holdsFiles(folder string) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(folder, ".mcpbash.")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// otherTemps returns folders to use if the environment's folder cannot be used.
func otherTemps() (all []string) {
	if runtime.GOOS != "windows" {
		all = append(all, "/tmp", "/var/tmp")
	}
	if cache, err := os.UserCacheDir(); err == nil {
		all = append(all, filepath.Join(cache, "mcp-bash", "tmp"))
	}
	return all
}
