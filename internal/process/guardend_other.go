//go:build unix && !linux

package process

import "os"

// sharedFile returns an unlinked file.
func sharedFile() (*os.File, error) {
	f, err := os.CreateTemp("", "mcpbash.commands.")
	if err != nil {
		return nil, err
	}
	return f, os.Remove(f.Name())
}

// sinceBoot is not used on this system.
func sinceBoot() int64 { return 0 }

func nameGuard() {}

func (r *Runner) marks() (prefix, groups string) { return "", "" }

// startOther starts a child that is not a command.
func (r *Runner) startOther(start func() (*os.Process, error)) (*os.Process, error) { return start() }

func (r *Runner) reaped() {}

// endRemaining ends the process groups of the commands of a server that is gone.
func endRemaining(commands map[int]int64, _, _ string) { endGroups(commands) }
