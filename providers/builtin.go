package providers

import "slices"

// BuiltIn reports whether the server itself provides what addresses of a scheme
// name, without a script of the project.
func BuiltIn(scheme string) bool {
	return slices.Contains([]string{"file", "echo", "ui", "https", "git+https"}, scheme)
}
