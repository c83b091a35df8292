package roots

import "log/slog"

// Fallback returns the folders that tools work in if the client names none: those of the operator,
// else those that the project lists, else the project itself.
func Fallback(project string, named []string, listed func() []Root, log *slog.Logger) []Root {
	for _, path := range named {
		if path != "" && len(Folders(project, path)) == 0 {
			log.Warn("MCPBASH_ROOTS names a path that is not a folder; it is left out", "path", path)
		}
	}
	if found := Folders(project, named...); len(found) > 0 {
		return found
	}
	if found := listed(); len(found) > 0 {
		return found
	}
	return Folders(project, ".")
}
