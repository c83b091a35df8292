package cage

import (
	"os"
	"path/filepath"
	"slices"
)

// System returns the files and folders that programs need to run at all, for [Rules.Read].
func System() []string {
	return []string{
		"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/usr", "/opt", "/etc",
		"/nix/store", "/gnu/store", "/run/current-system/sw", "/home/linuxbrew/.linuxbrew", "/snap",
		"/etc/resolv.conf", "/etc/localtime", "/etc/ssl", "/var/lib/ca-certificates", // links, often
		"/proc", "/sys", "/dev/random", "/dev/urandom",
	}
}

// Devices returns device files that store nothing, for [Rules.Write].
func Devices() []string { return []string{"/dev/null", "/dev/zero", "/dev/full"} }

// Programs returns the folders of a PATH that may be read for the programs in them. The home
// folder, and folders above it, are left out.
func Programs(path, home string) []string {
	return slices.DeleteFunc(filepath.SplitList(path), func(dir string) bool {
		return !filepath.IsAbs(dir) || Holds(dir, home) || filepath.Clean(dir) == string(os.PathSeparator)
	})
}

// Holds reports whether folder is path or above it. It compares names only.
func Holds(folder, path string) bool {
	inside, err := filepath.Rel(folder, path)
	return err == nil && path != "" && filepath.IsLocal(inside)
}
