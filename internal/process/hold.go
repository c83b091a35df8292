package process

import (
	"context"
	"os"
	"time"
)

// A hold enforces the limits of one command and the rules that confine it, and makes sure that none of its
// processes survives the server. How limits are enforced depends on the system: see hold_linux.go, and
// system_*.go for the others.
type hold struct {
	confine func(start func() error) (release func(), err error) // of the command; nil for none
	limits  Limits                                               // those in effect; 0 for none
	// strict is true if limits were set explicitly: if they cannot be applied, the command must not run.
	strict    bool
	unconfine func() // ends the Confine of a command that was started; nil if it has none
	began     time.Time
	systemHold
}

// hold prepares the start of c. Call release when no process of the command is left, or when
// it did not start. It may wait until fewer commands are running.
func (r *Runner) hold(ctx context.Context, c Command) (*hold, error) {
	h := &hold{confine: c.Confine, limits: c.Limits.Within(r.Limits),
		strict: c.Limits != Limits{} || r.Limits != Limits{} && r.Limits != Limits{Processes: DefaultProcesses}}
	if err := r.prepare(ctx, h); err != nil {
		return nil, unlimited(err)
	}
	return h, nil
}

// start is [os.StartProcess], under the Confine of the command if it has one. Nothing else runs there: other steps of
// a start must not be subject to its rules.
func (h *hold) start(path string, argv []string, attr *os.ProcAttr) (p *os.Process, err error) {
	if h.confine == nil {
		return os.StartProcess(path, argv, attr)
	}
	called := false
	release, err := h.confine(func() (err error) {
		called = true
		p, err = os.StartProcess(path, argv, attr)
		return err
	})
	switch {
	case err == nil:
		h.unconfine = release
	case !called:
		release()
		err = &StartError{Reason: "it cannot be confined: " + err.Error(),
			Hint: "see docs/SANDBOX.md", Err: err}
	default:
		release()
	}
	return p, err
}

// ended is called when the command itself has ended.
func (h *hold) ended() {
	if h.unconfine != nil {
		h.unconfine()
	}
}
