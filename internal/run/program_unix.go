//go:build unix

package run

// program is what is started for a file: the file itself, as its #! line says.
func program(file string) (path string, args []string) { return file, nil }
