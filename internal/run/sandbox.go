package run

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/cage"
	"github.com/mcp-bash/mcp-bash/v2/internal/catalog"
	"github.com/mcp-bash/mcp-bash/v2/internal/process"
)

// sandboxOf returns the sandbox of a tool: its own, or the one that the operator wants all to have;
// nil for none.
func (r *Runtime) sandboxOf(t *catalog.Tool) *catalog.Sandbox {
	switch {
	case t.Sandbox != nil && !t.Sandbox.None:
		return t.Sandbox
	case r.CageAll:
		return &catalog.Sandbox{Auto: true}
	}
	return nil
}

// caged returns the rules for what a call may reach, nil for everything, and the environment, in
// which TMPDIR and the like name the only folder for its temporary files.
func (r *Runtime) caged(c Call, f *folder, env []string) (*cage.Rules, []string, error) {
	s := r.sandboxOf(c.Tool)
	if s == nil {
		return nil, env, nil
	}
	temp := filepath.Join(f.path, "tmp")
	if err := os.Mkdir(temp, 0o700); err != nil {
		return nil, nil, err
	}
	// A later tool outside of the sandbox must not get the folder: the sandboxed one could have passed the
	// stream on.
	f.used = true
	if _, own := c.Tool.Env["TMPDIR"]; !own {
		env = merge(env, []string{"TMPDIR=" + temp})
	}
	return r.reach(c, s, f, env), env, nil
}

// reach returns the rules of a sandbox. In any sandbox, a tool can run programs of the system and
// those on its PATH, read the project and the SDK, and write to the folder of its call.
func (r *Runtime) reach(c Call, s *catalog.Sandbox, f *folder, env []string) *cage.Rules {
	home, _ := process.Lookup(env, "HOME")
	path, _ := process.Lookup(env, "PATH")
	sdk, _ := process.Lookup(env, "MCPBASH_HOME")
	rules := &cage.Rules{Network: s.Network, Attributes: len(s.Write) > 0}
	rules.Read = append(rules.Read, cage.System()...)
	rules.Read = append(rules.Read, cage.Programs(path, home)...)
	rules.Read = append(rules.Read, r.Root, sdk, c.Tool.Path, r.Program)
	if home != "" {
		rules.Read = append(rules.Read, filepath.Join(home, ".jq")) // jq fails where it may not read that
	}
	rules.Write = append(rules.Write, cage.Devices()...)
	rules.Write = append(rules.Write, f.path)
	if s.Auto {
		rules.Network, rules.Attributes = !c.Tool.ClosedWorld, !c.Tool.ReadOnly
		for _, root := range c.Folders {
			// A tool that may write to the project could change scripts that later run without a
			// sandbox. Its author can allow that, but a default must not.
			if c.Tool.ReadOnly || cage.Holds(root.Path, r.Root) {
				rules.Read = append(rules.Read, root.Path)
			} else {
				rules.Write = append(rules.Write, root.Path)
			}
		}
		return rules
	}
	rules.Read = append(rules.Read, r.places(c, s.Read, home)...)
	rules.Write = append(rules.Write, r.places(c, s.Write, home)...)
	return rules
}

// places returns the paths of a sandbox as absolute paths.
func (r *Runtime) places(c Call, written []string, home string) (paths []string) {
	for _, path := range written {
		rest, below := strings.CutPrefix(path, "~")
		switch {
		case path == catalog.SandboxRoots:
			for _, root := range c.Folders {
				paths = append(paths, root.Path)
			}
			continue
		case below && home != "": // without a home folder, "~" is an ordinary name
			path = filepath.Join(home, rest)
		}
		if !filepath.IsAbs(path) {
			path = filepath.Join(r.Root, filepath.FromSlash(path))
		}
		paths = append(paths, path)
	}
	return paths
}
