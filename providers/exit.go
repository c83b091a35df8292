package providers

import (
	"cmp"
	"fmt"
	"net/url"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/fetch"
)

// exitFault returns the fault for the exit code of a script.
func exitFault(name string, out Output) error {
	says := cmp.Or(out.Stderr, fmt.Sprintf("%s ended with exit code %d", name, out.ExitCode))
	switch out.ExitCode {
	case 2:
		return fmt.Errorf("%w: %s", ErrOutside, says)
	case 3:
		return fmt.Errorf("%w: %s", ErrNotFound, says)
	case 4:
		return fmt.Errorf("%w: %s", ErrBadURI, says)
	case 6:
		return fmt.Errorf("%w: %s", ErrTooLarge, says)
	case 7:
		if _, location, ok := strings.Cut(says, "redirect:"); ok {
			location, _, _ = strings.Cut(strings.TrimSpace(location), "\n")
			return fmt.Errorf("%w: %w", ErrUnavailable, &fetch.RedirectError{Location: location})
		}
	}
	if out.Signal != "" {
		says = name + " was ended by " + out.Signal
	}
	return fmt.Errorf("%w: %s", ErrUnavailable, says)
}

// nameIn returns the part of a URI that may end like a file name.
func nameIn(uri string) string {
	if u, err := url.Parse(uri); err == nil {
		return u.Path
	}
	return ""
}
