//go:build unix && !linux

package script

import "os"

// adoption is empty: the system hands orphans to its first process only.
type adoption struct{}

// Adopt does nothing on this system, where commands are ended by their process group.
func (r *Runner) Adopt() error { return nil }

func (r *Runner) start(path string, argv []string, attr os.ProcAttr, h *hold) (family, error) {
	return startGroup(path, argv, attr, h)
}
