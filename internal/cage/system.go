package cage

import (
	"os"
	"path/filepath"
	"slices"
)

// System are the files and folders that programs need to run at all, for [Rules.Read].
func System() []string {
	return []string{
		"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/usr", "/opt", "/etc",
		"/nix/store", "/gnu/store", "/run/current-system/sw", "/home/linuxbrew/.linuxbrew", "/snap",
		"/etc/resolv.conf", "/etc/localtime", "/etc/ssl", "/var/lib/ca-certificates", // links, often
		"/proc", "/sys", "/dev/random", "/dev/urandom",
	}
}

// Devices are files that nothing is kept in, for [Rules.Write].
func Devices() []string { return []string{"/dev/null", "/dev/zero", "/dev/full"} }

// Programs are those folders of a PATH that may be read for the sake of the programs in them. A
// home folder, or one above it, is not among them.
func Programs(path, home string) []string {
	return slices.DeleteFunc(filepath.SplitList(path), func(dir string) bool {
		return !filepath.IsAbs(dir) || Holds(dir, home) || filepath.Clean(dir) == string(os.PathSeparator)
	})
}

// Holds reports whether a folder is a path or above it, by their names.
func Holds(folder, path string) bool {
	inside, err := filepath.Rel(folder, path)
	return err == nil && path != "" && filepath.IsLocal(inside)
}
