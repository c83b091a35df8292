package download

// The types of errors.
const (
	InvalidURL    = "invalid_url"
	InvalidParams = "invalid_params"
	HostBlocked   = "host_blocked"
	NetworkError  = "network_error"
	SizeExceeded  = "size_exceeded"
	WriteError    = "write_error"
	Redirect      = "redirect"
)

// An Error is the reason why a file was not fetched.
type Error struct {
	Type     string
	Message  string
	Location string // the target of a redirect
}

func (e *Error) Error() string { return e.Message }
