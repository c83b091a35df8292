package script

import "context"

// A hold is what keeps one command within its limits, and lets nothing of it survive the
// server. Each system holds what it can: see hold_linux.go and its neighbours.
type hold struct {
	limits Limits // what holds; 0 is none
	strict bool   // somebody has asked for them: without them the command must not run
	place  *confinement
	systemHold
}

// hold prepares a start of c. Call release when nothing of the command is left, or when it
// did not start. It may wait for room.
func (r *Runner) hold(ctx context.Context, c Command) (*hold, error) {
	h := &hold{place: confinementOf(c), limits: c.Limits.Within(r.Limits), strict: c.Limits != Limits{} || r.Limits != Limits{} && r.Limits != Limits{Processes: DefaultProcesses}}
	if err := r.prepare(ctx, h); err != nil {
		return nil, &limitsError{err}
	}
	return h, nil
}
