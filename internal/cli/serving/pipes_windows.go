package serving

import "golang.org/x/sys/windows"

// closedByReader are the errors of writing to a pipe that nobody reads any more.
var closedByReader = []error{windows.ERROR_BROKEN_PIPE, windows.ERROR_NO_DATA}

// ignoreBrokenPipes does nothing: Windows has no such signal.
func ignoreBrokenPipes() {}
