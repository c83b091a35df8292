package script

// A Standby does not exist on Windows, where scripts inherit no descriptors.
type Standby struct{}

// StartAhead returns ErrNotAhead.
func (r *Runner) StartAhead(Command, []string, func(string) bool, func()) (*Standby, error) {
	return nil, ErrNotAhead
}

// Ready returns ErrDied.
func (s *Standby) Ready() error { return ErrDied }

// Dismiss does nothing.
func (s *Standby) Dismiss() {}

func (s *Standby) wake(Command) (*begun, error) { return nil, ErrNotAhead }
