// Package bundle packs a project into an MCP bundle: a file that clients such as Claude Desktop
// install with one click. It is a zip:
//
//	manifest.json              who the server is, how it is started, what it asks its user for
//	assets/                    icons, screenshots, translations
//	server/PLATFORM/mcp-bash   this program, once for each platform
//	project/NAME/              tools, resources, prompts and so on
//
// The user needs nothing else, but for what the tools themselves call, and on Windows a bash.
// The same project makes the same bytes (see [Bundle.Write]). [Open] reads a bundle, [Registry.Send] brings
// it to a registry.
package bundle

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"

	"github.com/mcp-bash/mcp-bash/v2/internal/project"
)

// defaultVersion is the version of a bundle whose project has none.
const defaultVersion = "0.1.0"

// A Source is what a bundle is made of.
type Source struct {
	Root     string // of the project, absolute
	Identity project.Identity
	Tools    []*project.Tool
	Prompts  []*project.Prompt
	Programs map[Platform]string // paths of builds of this program; one at least
	// Registry is the folder with the lists as they are now, for MCPB_STATIC; "" for none.
	Registry string

	Config          // what mcpb.conf says, and flags
	Fallback Config // the author and the repository, where nobody says them
}

// A Bundle is one that can be written.
type Bundle struct {
	Manifest Manifest
	Files    []File   // manifest.json among them
	LeftOut  []string // files of the project that look like secrets
	Warnings []string // what works, but should be looked at
}

// Make plans a bundle. The error names everything that must be mended first.
func Make(s Source) (*Bundle, error) {
	metaFile := "server.d/server.meta.json"
	if s.Identity.MetadataFile != "" {
		metaFile = relative(s.Root, s.Identity.MetadataFile)
	}
	said, err := parseMeta(s.Identity.Metadata, metaFile)
	if err != nil {
		return nil, err
	}
	if err := s.complete(said, metaFile); err != nil {
		return nil, err
	}
	if s.Author.Name == "" {
		s.Author.or(s.Fallback.Author)
	}
	s.Repository = cmp.Or(s.Repository, s.Fallback.Repository)
	collected, err := newCollector(s.Root)
	if err != nil {
		return nil, err
	}
	m := &maker{Source: s, said: said, Bundle: &Bundle{}, metaFile: metaFile}
	m.programs()
	m.project(collected)
	m.describe()
	m.assets()
	m.launch()
	if len(m.errs) > 0 {
		return nil, errors.Join(m.errs...)
	}
	if err := m.Manifest.Check(); err != nil {
		return nil, err
	}
	data, err := m.Manifest.JSON()
	if err != nil {
		return nil, err
	}
	m.Files = append(m.Files, File{Path: "manifest.json", Data: data})
	return m.Bundle, nil
}

// FileName is how the bundle is called.
func (b *Bundle) FileName() string { return b.Manifest.Name + "-" + b.Manifest.Version + ".mcpb" }

// Write writes the bundle as a zip: sorted by path, with one time for all, and executables marked
// as such. It calls step after each of the Files.
func (b *Bundle) Write(w io.Writer, step func()) error { return writeZip(w, b.Files, step) }

// A maker makes one bundle.
type maker struct {
	Source
	said meta
	*Bundle
	metaFile string
	errs     []error
}

func (m *maker) refuse(format string, args ...any) {
	m.errs = append(m.errs, fmt.Errorf(format, args...))
}

func (m *maker) warn(format string, args ...any) {
	m.Warnings = append(m.Warnings, fmt.Sprintf(format, args...))
}

// platforms are those that there is a program for, in their order.
func (m *maker) platforms() []Platform {
	return slices.DeleteFunc(Platforms(), func(p Platform) bool { return m.Programs[p] == "" })
}

func (m *maker) programs() {
	for _, p := range m.platforms() {
		if err := p.check(m.Programs[p]); err != nil {
			m.errs = append(m.errs, err)
			continue
		}
		m.Files = append(m.Files, File{Path: p.program(), From: m.Programs[p], Executable: true})
	}
	if len(m.platforms()) == 0 {
		m.refuse("no program for any of %s", names(Platforms()))
	}
}

// home is the project's folder in the bundle. It keeps its name, which is that of a server that
// says no other.
func (m *maker) home() string {
	name := filepath.Base(m.Root)
	if !plainName.MatchString(name) {
		name = m.Manifest.Name
	}
	return "project/" + name
}

// project adds the files of the project.
func (m *maker) project(c *collector) {
	m.Manifest.Name = cmp.Or(m.Config.Name, m.Identity.Name)
	for _, name := range parts() {
		c.add(false, name)
	}
	for _, name := range m.Include {
		c.add(true, name)
	}
	for _, name := range slices.Sorted(maps.Keys(c.files)) {
		f := c.files[name]
		f.Path = m.home() + "/" + name
		m.Files = append(m.Files, f)
	}
	m.errs = append(m.errs, c.errs...)
	m.LeftOut = slices.DeleteFunc(c.leftOut, func(name string) bool { _, taken := c.files[name]; return taken })
	if m.Registry != "" {
		lists, err := registry(m.Registry, m.home()+"/.registry/")
		if err != nil {
			m.errs = append(m.errs, err)
		}
		m.Files = append(m.Files, lists...)
	}
	for _, hook := range []string{"server.d/policy.sh", "server.d/register.sh"} {
		if _, there := c.files[hook]; there {
			m.warn("%s runs only with MCPBASH_ALLOW_PROJECT_HOOKS=true; let the user decide it with a setting that becomes that variable", hook)
		}
	}
	if _, there := c.files["server.d/env.sh"]; there {
		m.warn("server.d/env.sh goes in, for all to read: see that it holds no secrets")
	}
	if len(c.files) == 0 {
		m.refuse("%s has nothing to serve; make a tool with `mcp-bash scaffold tool NAME`", m.Root)
	}
}

// relative is a path as people read it.
func relative(root, path string) string {
	if r, err := filepath.Rel(root, path); err == nil {
		return filepath.ToSlash(r)
	}
	return path
}
