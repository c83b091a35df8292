package server

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/catalog"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

// identity returns a function for one session, which returns the server's identity and its
// instructions for models, as the files are now. The instructions name the faults that were known
// when the session began: the first client learns of the others from log messages, as otherwise its
// handshake would have to wait until all files are read.
func (p *served) identity() func(looked bool) (mcp.Implementation, string) {
	known := p.diagnostics.known()
	return func(looked bool) (mcp.Implementation, string) {
		id, faults := p.Identity()
		for _, f := range faults {
			p.server.log.Warn(f.String())
		}
		broken := known
		if looked {
			broken = p.diagnostics.knownSoon(p.server.context)
		}
		return implementation(id), instructions(id.Instructions, broken)
	}
}

func implementation(id catalog.Identity) mcp.Implementation {
	return mcp.Implementation{
		Name:        id.Name,
		Title:       id.Title,
		Version:     id.Version,
		Description: id.Description,
		WebsiteURL:  id.WebsiteURL,
		Icons:       []byte(id.Icons),
	}
}

// cachedIdentity returns a function that returns the server's identity, at most a second old, for
// responses that include it in every result.
func cachedIdentity(p *catalog.Project) func() mcp.Implementation {
	var mu sync.Mutex
	var known mcp.Implementation
	var when time.Time
	return func() mcp.Implementation {
		mu.Lock()
		defer mu.Unlock()
		if time.Since(when) > time.Second {
			id, _ := p.Identity() // its faults are logged with the session
			known, when = implementation(id), time.Now()
		}
		return known
	}
}

// maxVariable is the longest variable about the server that tools get: Linux starts no program with
// one over 128 KiB, and all variables together are limited too.
const maxVariable = 32 << 10

// serverVariables returns the variables that describe the server to tools. Values that no variable
// can hold, such as large icons, are left out.
func serverVariables(p *catalog.Project, o Options) []string {
	id, _ := p.Identity()
	mode := "full"
	if o.Minimal {
		mode = "minimal"
	}
	about := []string{
		"MCPBASH_FRAMEWORK_VERSION=" + Version,
		"MCPBASH_MODE=" + mode,
		"MCPBASH_SERVER_NAME=" + id.Name,
		"MCPBASH_SERVER_TITLE=" + id.Title,
		"MCPBASH_SERVER_VERSION=" + id.Version,
		"MCPBASH_SERVER_DESCRIPTION=" + id.Description,
		"MCPBASH_SERVER_WEBSITE_URL=" + id.WebsiteURL,
		"MCPBASH_SERVER_ICONS=" + string(id.Icons),
		"MCPBASH_SERVER_INSTRUCTIONS=" + id.Instructions,
	}
	return slices.DeleteFunc(about, func(v string) bool { return len(v) > maxVariable || strings.Contains(v, "\x00") })
}
