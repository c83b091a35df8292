package providers

import "github.com/mcp-bash/mcp-bash/v2/internal/fetch"

// Hosts say which hosts may be asked: Allow and Deny name hosts, "*.example.com"
// every name that ends in ".example.com"; Deny wins, and AllowAll allows what it
// does not name. The zero value allows none.
type Hosts = fetch.Hosts
