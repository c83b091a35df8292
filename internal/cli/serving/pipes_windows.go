package serving

// ignoreBrokenPipes does nothing: Windows has no such signal.
func ignoreBrokenPipes() {}
