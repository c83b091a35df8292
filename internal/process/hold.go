package process

import "context"

// A hold enforces the limits of one command, and makes sure that none of its processes
// survives the server. What is enforced depends on the system: see hold_linux.go,
// hold_other.go and hold_windows.go.
type hold struct {
	limits Limits // those in effect; 0 for none
	strict bool   // limits were set explicitly: if they cannot be applied, the command must not run
	place  *confinement
	systemHold
}

// hold prepares the start of c. Call release when no process of the command is left, or when
// it did not start. It may wait until fewer commands are running.
func (r *Runner) hold(ctx context.Context, c Command) (*hold, error) {
	h := &hold{place: confinementOf(c), limits: c.Limits.Within(r.Limits),
		strict: c.Limits != Limits{} || r.Limits != Limits{} && r.Limits != Limits{Processes: DefaultProcesses}}
	if err := r.prepare(ctx, h); err != nil {
		return nil, &limitsError{err}
	}
	return h, nil
}
