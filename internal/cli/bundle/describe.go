package bundle

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/catalog"
	"github.com/mcp-bash/mcp-bash/v2/internal/files"
)

// longDescriptionBytes is the maximum size of MCPB_LONG_DESCRIPTION_FILE.
const longDescriptionBytes = 256 << 10

// describe fills in the descriptive fields of the manifest.
func (m *maker) describe() {
	version := m.Identity.Version
	if version == "0.0.0" {
		version = defaultVersion
	}
	description := cmp.Or(m.Config.Description, m.Identity.Description)
	if description == "" {
		description = m.Identity.Title
		m.warn("nothing describes the bundle; set MCPB_DESCRIPTION in mcpb.conf, or description in %s", m.metaFile)
	}
	name := m.Manifest.Name
	m.Manifest = Manifest{
		ManifestVersion: ManifestVersion,
		Name:            name,
		DisplayName:     m.Identity.Title,
		Version:         cmp.Or(m.Config.Version, version),
		Description:     description,
		Author:          m.Config.Author,
		Homepage:        cmp.Or(m.Homepage, m.Identity.WebsiteURL),
		Documentation:   m.Documentation,
		Support:         m.Support,
		Keywords:        m.Keywords,
		License:         m.License,
		PrivacyPolicies: m.PrivacyPolicies,
		Compatibility:   &Compatibility{ClaudeDesktop: m.ClaudeDesktop, Platforms: m.platforms()},
		Meta:            m.said.Meta,
	}
	if m.Python != "" || m.Node != "" {
		m.Manifest.Compatibility.Runtimes = &Runtimes{Python: m.Python, Node: m.Node}
	}
	if m.Config.Repository != "" {
		m.Manifest.Repository = &Repository{Type: "git", URL: m.Config.Repository}
	}
	if file := m.Config.LongDescriptionFile; file != "" {
		m.Manifest.LongDescription = string(m.read("MCPB_LONG_DESCRIPTION_FILE", file, longDescriptionBytes))
	}
	if !m.Manifest.Semantic() {
		m.warn("version %q is not valid semver, as in 1.2.3: clients cannot tell whether it is newer than another",
			m.Manifest.Version)
	}
	m.listTools()
	m.listPrompts()
}

// listTools lists the tools that have a description. The server lists its tools itself, so there may
// be more when it runs.
func (m *maker) listTools() {
	for _, t := range m.Source.Tools {
		if t.Metadata != nil {
			m.Manifest.Tools = append(m.Manifest.Tools, Tool{t.Name, t.Description})
		}
	}
	_, err := os.Stat(filepath.Join(m.Root, "server.d", "register.sh"))
	m.Manifest.ToolsGenerated = err == nil || len(m.Source.Tools) > 0
	m.Manifest.PromptsGenerated = err == nil || len(m.Source.Prompts) > 0
}

// listPrompts lists the prompts that are texts. The text of others is only known when they are run.
func (m *maker) listPrompts() {
	for _, p := range m.Source.Prompts {
		text, err := "", error(nil)
		if p.Messages == nil && !p.Executable && p.Role == "user" {
			text, err = p.Text()
		}
		if err != nil || text == "" {
			continue
		}
		shown := Prompt{Name: p.Name, Description: p.Description,
			Text: withArguments(strings.TrimRight(text, "\n"), p.Arguments)}
		for _, a := range p.Arguments {
			shown.Arguments = append(shown.Arguments, a.Name)
		}
		m.Manifest.Prompts = append(m.Manifest.Prompts, shown)
	}
}

// withArguments converts placeholders to the form of manifests: {{name}} becomes ${arguments.name}.
func withArguments(text string, arguments []catalog.Argument) string {
	for _, a := range arguments {
		place := regexp.MustCompile(`\{\{[ \t]*` + regexp.QuoteMeta(a.Name) + `[ \t]*\}\}`)
		text = place.ReplaceAllLiteralString(text, "${arguments."+a.Name+"}")
	}
	return text
}

// read reads a file of the project that a field names.
func (m *maker) read(field, name string, most int64) []byte {
	root, err := os.OpenRoot(m.Root)
	if err != nil {
		m.refuse("%s: %w", field, err)
		return nil
	}
	defer root.Close()
	f, info, err := files.OpenIn(root, filepath.FromSlash(name))
	var data []byte
	if err == nil {
		defer f.Close()
		data, err = files.ReadAll(f, most)
	}
	if errors.Is(err, files.ErrTooLarge) {
		m.refuse("%s: %s has %d bytes; at most %d go in", field, name, info.Size(), most)
		return nil
	}
	if errors.Is(err, fs.ErrNotExist) {
		m.refuse("%s: %s not found; write the path of a file in the project", field, name)
	} else if err != nil {
		m.refuse("%s: %w; write the path of a file in the project", field, err)
	}
	return data
}
