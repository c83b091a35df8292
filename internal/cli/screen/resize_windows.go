package screen

// resized does nothing: the system sends no signal.
func resized(func()) (stop func()) { return func() {} }
