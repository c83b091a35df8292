package catalog

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/document"
	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

// A Sandbox defines what a tool may access; see docs/SANDBOX.md.
type Sandbox struct {
	// None means that the metadata asks for no sandbox.
	None bool
	// Auto means that the annotations decide; the fields below are empty.
	Auto bool
	// Read and Write are files and folders, as they were written: absolute, relative to the root,
	// below the home folder with ~/, or [SandboxRoots].
	Read, Write []string
	Network     bool
}

// SandboxRoots stands for the folders that the client works in.
const SandboxRoots = "@roots"

const sandboxHint = `write "auto", "none", or an object of read, write and network, as in {"read":["data"]}`

// sandbox reads what a tool may access; nil when absent. It restricts the tool, so an invalid one
// leaves the entry out.
func (o object) sandbox() *Sandbox {
	m, ok := o.written("sandbox")
	if !ok {
		return nil
	}
	got := kindName(kindOf(m.Value))
	switch word := json.Text(m.Value); {
	case m.Value.Kind() == '{':
		return o.inner(m).sandboxObject()
	case word == "auto":
		if o.hintsLost() {
			o.deny(m, "is auto, which depends on the annotations, and one of those is invalid", "fix that first")
		}
		return &Sandbox{Auto: true}
	case word == "none":
		return &Sandbox{None: true}
	case m.Value.Kind() == '"':
		got = strconv.Quote(word)
	}
	o.deny(m, "must be auto, none or an object, not "+got, sandboxHint)
	return nil
}

func (o object) sandboxObject() *Sandbox {
	s := &Sandbox{}
	for _, m := range o.members {
		switch m.Name {
		case "read":
			s.Read = o.sandboxPaths(m)
		case "write":
			s.Write = o.sandboxPaths(m)
		case "network":
			s.Network = m.Value.Kind() == 't'
			o.strictly().isLike(m, 't', "")
		default:
			o.deny(m, "is not a known field", "a sandbox has read, write and network")
		}
	}
	return s
}

func (o object) sandboxPaths(m json.Member) (paths []string) {
	if m.Value.Kind() != '[' {
		o.deny(m, "must be an array of paths, not "+kindName(kindOf(m.Value)), `write ["data"]`)
		return nil
	}
	for _, child := range document.Elements(m) {
		path := json.Text(child.Value)
		switch {
		case child.Value.Kind() != '"':
			o.deny(child, "must be a path, not "+kindName(kindOf(child.Value)), "")
		case path == "" || strings.ContainsRune(path, 0):
			o.deny(child, "is not a path", `the project itself is "."`)
		case strings.HasPrefix(path, "~") && path != "~" && !strings.HasPrefix(path, "~/"),
			strings.HasPrefix(path, "@") && path != SandboxRoots, strings.ContainsRune(path, '$'):
			o.deny(child, fmt.Sprintf("is %q, but only ~/ and @roots are expanded", path),
				`write an absolute path, or one in the project; "./@x" is a file @x`)
		}
		paths = append(paths, path)
	}
	return paths
}

// hintsLost reports whether some of the annotations, or all, were refused.
func (o object) hintsLost() bool {
	m, ok := o.written("annotations")
	return ok && (o.isRefused(m) || o.refusedIn(m) > 0)
}
