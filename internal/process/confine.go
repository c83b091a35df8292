package process

import "os"

// A confinement starts a command that has a Confine. A nil confinement starts it without one.
type confinement struct {
	path    string
	confine func(start func() error) (release func(), err error)
	release func() // of the thread on which it was started; nil if it was not
}

func confinementOf(c Command) *confinement {
	if c.Confine == nil {
		return nil
	}
	return &confinement{path: c.Path, confine: c.Confine}
}

// start is [os.StartProcess] under Confine. Nothing else runs there: other steps of a start must not
// be subject to its rules.
func (k *confinement) start(path string, argv []string, attr *os.ProcAttr) (p *os.Process, err error) {
	if k == nil {
		return os.StartProcess(path, argv, attr)
	}
	called := false
	release, err := k.confine(func() (err error) {
		called = true
		p, err = os.StartProcess(path, argv, attr)
		return err
	})
	switch {
	case err == nil:
		k.release = release
	case !called:
		release()
		err = &StartError{Path: k.path, Reason: "it cannot be confined: " + err.Error(),
			Hint: "see docs/SANDBOX.md", Err: err}
	default:
		release()
	}
	return p, err
}

// end is called when the command has ended, or was not started.
func (k *confinement) end() {
	if k != nil && k.release != nil {
		k.release()
	}
}
