package providers

import "github.com/mcp-bash/mcp-bash/v2/internal/fetch"

// Hosts decides which hosts may be connected to: Allow and Deny name hosts, "*.example.com" means
// every name that ends in ".example.com"; Deny wins, and AllowAll allows all hosts that it does not
// name. The zero value allows none.
type Hosts = fetch.Hosts
