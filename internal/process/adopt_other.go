//go:build unix && !linux

package process

import "os"

// adoption is empty: on this system only the first process can adopt orphans.
type adoption struct{}

// Adopt does nothing on this system, where commands are ended by their process group.
func (r *Runner) Adopt() error { return nil }

func (adoption) end() {}

func (r *Runner) start(path string, argv []string, attr os.ProcAttr, h *hold) (family, error) {
	return startGroup(path, argv, attr, h)
}
