// Package bundle packs a project into an MCP bundle: a file that clients such as Claude Desktop
// install with one click. It is a zip:
//
//	manifest.json                  describes the server, how it is started, and its settings
//	icon.png, ...                  icons, screenshots, translations, where they are in the project
//	server/                        the project: tools, resources, prompts and so on
//	server/run-server.sh           starts the server
//	server/.mcp-bash/bin/mcp-bash  runs the program for the current system
//	server/.mcp-bash/PLATFORM/     this program, once for each platform
//
// Projects of the Bash program rely on these paths. The user needs nothing else, except the programs
// that the tools call, and bash on Windows.
// The same project results in the same bytes (see [Bundle.Write]). [Open] reads a bundle,
// [Registry.Send] uploads it to a registry.
package bundle

import (
	"cmp"
	"context"
	_ "embed" // of the scripts
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/catalog"
	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

// defaultVersion is the version of a bundle whose project has no version.
const defaultVersion = "0.1.0"

// unknownAuthor is the author of a bundle if none is given: clients refuse bundles without an author.
const unknownAuthor = "Unknown"

// A Source is what a bundle is built from.
type Source struct {
	Root      string // of the project, absolute
	Identity  catalog.Identity
	Tools     []*catalog.Tool
	Prompts   []*catalog.Prompt
	Platforms []Platform // that it is for; nil for those of Programs
	// Programs are paths of builds of this program. On a platform without one, users need an
	// mcp-bash on their PATH.
	Programs map[Platform]string
	// Registry is the folder with the current lists, for MCPB_STATIC; "" for none.
	Registry string

	Config          // from mcpb.conf and flags
	Fallback Config // the author and the repository, if they are not given
}

// A Bundle is a bundle that can be written.
type Bundle struct {
	Manifest Manifest
	Files    []File   // manifest.json among them
	LeftOut  []string // files of the project that look like secrets
	Warnings []string // problems that do not prevent the bundle from working
}

// Make plans a bundle. The error lists everything that must be fixed first.
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
		s.Author.or(s.Fallback.Author.usable())
	}
	s.Author.Name = cmp.Or(s.Author.Name, unknownAuthor)
	s.Repository = cmp.Or(s.Repository, s.Fallback.Repository)
	collected, err := newCollector(s.Root)
	if err != nil {
		return nil, err
	}
	m := &maker{Source: s, said: said, Bundle: &Bundle{}, metaFile: metaFile}
	if s.Author.Name == unknownAuthor {
		m.warn("nobody is named as the author; set MCPB_AUTHOR_NAME in mcpb.conf, author in %s, or git config user.name",
			metaFile)
	}
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

// FileName returns the name of the bundle's file.
func (b *Bundle) FileName() string { return b.Manifest.Name + "-" + b.Manifest.Version + ".mcpb" }

// Write writes the bundle as a zip file: sorted by path, with the same time for all files, and
// executables marked as such. It stops when ctx ends, and calls step after each of the Files.
func (b *Bundle) Write(ctx context.Context, w io.Writer, step func()) error {
	return writeZip(ctx, w, b.Files, step)
}

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

// platforms returns the platforms that the bundle is for, in the order of [Platforms].
func (m *maker) platforms() []Platform {
	return slices.DeleteFunc(Platforms(), func(p Platform) bool {
		return m.Programs[p] == "" && !slices.Contains(m.Platforms, p)
	})
}

func (m *maker) programs() {
	if len(m.platforms()) == 0 {
		m.refuse("no program for any of %s", names(Platforms()))
	}
	for _, p := range m.platforms() {
		if m.Programs[p] == "" {
			m.warn("the bundle has no mcp-bash for %s, so users there need it on their PATH; to add it: %s", p,
				p.HowToBuild())
			continue
		}
		if err := p.check(m.Programs[p]); err != nil {
			m.errs = append(m.errs, err)
			continue
		}
		m.Files = append(m.Files, File{Path: p.program(), From: m.Programs[p], Executable: true})
	}
	m.Files = append(m.Files,
		File{Path: entryPoint, Data: []byte(runServer), Executable: true},
		File{Path: "server/.mcp-bash/bin/mcp-bash", Data: []byte(launcher), Executable: true})
}

// entryPoint starts the server on all platforms but Windows.
const entryPoint = home + "/run-server.sh"

var (
	//go:embed run-server.sh
	runServer string
	//go:embed launcher.sh
	launcher string
)

// home is the project's folder in the bundle.
const home = "server"

// project adds the files of the project.
func (m *maker) project(c *collector) {
	m.Manifest.Name = cmp.Or(m.Config.Name, m.Identity.Name)
	for _, name := range parts() {
		c.take(name)
	}
	for _, name := range m.Include {
		c.include(name)
	}
	if len(c.files) == 0 {
		m.refuse("%s has nothing to serve; make a tool with `mcp-bash scaffold tool NAME`", m.Root)
	}
	m.keepName(c)
	if _, taken := c.files["run-server.sh"]; taken {
		delete(c.files, "run-server.sh")
		m.warn("run-server.sh is left out: bundles have one of their own")
	}
	if m.Registry != "" {
		if err := registry(m.Registry, c.files); err != nil {
			m.errs = append(m.errs, err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.files)) {
		f := c.files[name]
		f.Path = home + "/" + name
		m.Files = append(m.Files, f)
	}
	m.errs = append(m.errs, c.errs...)
	m.Warnings = append(m.Warnings, c.warnings...)
	m.LeftOut = slices.DeleteFunc(c.leftOut, c.has)
	for _, name := range m.LeftOut {
		if strings.HasPrefix(name, catalog.Usual().Interceptors+"/") {
			m.refuse("%s looks like a secret, and without it the rules are not those of the project: "+
				"give it another name, or name it in MCPB_INCLUDE", name)
		}
	}
	if _, there := c.files["server.d/register.sh"]; there {
		m.warn("server.d/register.sh runs only with MCPBASH_ALLOW_PROJECT_HOOKS=true; let the user decide it with a " +
			"setting that becomes that variable")
	}
	if _, there := c.files["server.d/env.sh"]; there {
		m.warn("server.d/env.sh goes in, for all to read: see that it holds no secrets")
	}
}

// keepName writes the server's name into its metadata if it is missing there: a server without a
// name is called like its folder, and in a bundle that is another folder.
func (m *maker) keepName(c *collector) {
	said := make(map[string]json.Value)
	if len(m.Identity.Metadata) > 0 {
		_ = json.Unmarshal(m.Identity.Metadata, &said) // was parsed before
	}
	if said["name"] != nil {
		return
	}
	said["name"] = json.Quote(m.Identity.Name)
	data, err := json.Marshal(said, json.Deterministic(true), json.WithIndent("  "))
	if err != nil {
		m.errs = append(m.errs, err)
		return
	}
	delete(c.files, m.metaFile) // it may be YAML
	c.files["server.d/server.meta.json"] = File{Data: append(data, '\n')}
}

// relative returns a path relative to root for messages, with slashes.
func relative(root, path string) string {
	if r, err := filepath.Rel(root, path); err == nil {
		return filepath.ToSlash(r)
	}
	return path
}
