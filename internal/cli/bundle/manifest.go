package bundle

import (
	"context"
	_ "embed" // of the schema
	"errors"
	"fmt"
	"net/mail"
	"net/url"
	"sync"

	"golang.org/x/mod/semver"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/internal/lazyregexp"
	"github.com/mcp-bash/mcp-bash/v2/internal/schema"
)

// ManifestVersion is the version of the manifest format that is written and read.
const ManifestVersion = "0.3"

// A Manifest is the content of a bundle's manifest.json. Clients refuse fields that are not part of
// the format, so there are no others.
type Manifest struct {
	Schema           string         `json:"$schema,omitzero"`
	ManifestVersion  string         `json:"manifest_version"`
	Name             string         `json:"name"`
	DisplayName      string         `json:"display_name,omitzero"`
	Version          string         `json:"version"`
	Description      string         `json:"description"`
	LongDescription  string         `json:"long_description,omitzero"` // Markdown
	Author           Author         `json:"author"`
	Repository       *Repository    `json:"repository,omitzero"`
	Homepage         string         `json:"homepage,omitzero"`
	Documentation    string         `json:"documentation,omitzero"`
	Support          string         `json:"support,omitzero"`
	Icon             string         `json:"icon,omitzero"` // a path in the bundle, or a URL
	Icons            []Icon         `json:"icons,omitempty"`
	Screenshots      []string       `json:"screenshots,omitempty"`
	Localization     *Localization  `json:"localization,omitzero"`
	Server           Server         `json:"server"`
	Tools            []Tool         `json:"tools,omitempty"`
	ToolsGenerated   bool           `json:"tools_generated,omitzero"` // the server may list more than Tools
	Prompts          []Prompt       `json:"prompts,omitempty"`
	PromptsGenerated bool           `json:"prompts_generated,omitzero"`
	Keywords         []string       `json:"keywords,omitempty"`
	License          string         `json:"license,omitzero"`
	PrivacyPolicies  []string       `json:"privacy_policies,omitempty"`
	Compatibility    *Compatibility `json:"compatibility,omitzero"`
	// UserConfig holds the settings that a client asks its user for, by key; see [ParseSettings].
	// They keep the author's order, in which clients show them.
	UserConfig json.Value `json:"user_config,omitempty"`
	Meta       json.Value `json:"_meta,omitempty"`
}

// An Author is the author of a bundle.
type Author struct {
	Name  string `json:"name"`
	Email string `json:"email,omitzero"`
	URL   string `json:"url,omitzero"`
}

// usable returns the author without an email that clients refuse: an email that was not given for the
// bundle, such as git's default from the names of user and machine, must not prevent the bundle.
func (a Author) usable() Author {
	if !isAddress(a.Email) {
		a.Email = ""
	}
	return a
}

func isAddress(email string) bool {
	a, err := mail.ParseAddress(email)
	return err == nil && a.Address == email
}

// A Repository is where the source of a bundle is.
type Repository struct {
	Type string `json:"type"` // git
	URL  string `json:"url"`
}

// An Icon is an image of one size and, if Theme is not empty, for light or dark themes.
type Icon struct {
	Src   string `json:"src"`
	Size  string `json:"size"` // 64x64
	Theme string `json:"theme,omitzero"`
}

// A Localization says where translations are.
type Localization struct {
	Resources     string `json:"resources"` // a path with ${locale} in it
	DefaultLocale string `json:"default_locale"`
}

// A Server is what a client starts.
type Server struct {
	Type       string `json:"type"` // binary
	EntryPoint string `json:"entry_point"`
	Config     Launch `json:"mcp_config"`
}

// A Launch is how the server is started.
type Launch struct {
	Command
	PlatformOverrides map[Platform]Command `json:"platform_overrides,omitempty"`
}

// A Command is a program with its arguments and variables. ${__dirname} in them is the folder that
// the bundle was unpacked into, ${user_config.KEY} a setting. In overrides, absent fields are taken
// from the Launch; fields that are present replace it as a whole.
type Command struct {
	Program string            `json:"command,omitzero"`
	Args    []string          `json:"args,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
}

// A Tool is a tool that clients show before a bundle is installed.
type Tool struct {
	Name        string `json:"name"`
	Description string `json:"description,omitzero"`
}

// A Prompt is a prompt that clients show before a bundle is installed.
type Prompt struct {
	Name        string   `json:"name"`
	Description string   `json:"description,omitzero"`
	Arguments   []string `json:"arguments,omitempty"`
	Text        string   `json:"text"` // with ${arguments.NAME} in it
}

// A Compatibility lists what a bundle requires.
type Compatibility struct {
	ClaudeDesktop string     `json:"claude_desktop,omitzero"` // a range of versions, >=1.0.0
	Platforms     []Platform `json:"platforms,omitempty"`
	Runtimes      *Runtimes  `json:"runtimes,omitzero"`
}

// Runtimes are ranges of versions.
type Runtimes struct {
	Python string `json:"python,omitzero"`
	Node   string `json:"node,omitzero"`
}

// ParseManifest parses manifest.json. It refuses what [Manifest.Check] reports.
func ParseManifest(data []byte) (Manifest, error) {
	var m Manifest
	if err := decode(data, &m, false); err != nil {
		return m, fmt.Errorf("manifest.json: %w", err)
	}
	if err := conforms(data); err != nil {
		return m, err
	}
	return m, m.check()
}

// JSON returns the text of manifest.json: the same manifest results in the same bytes.
func (m Manifest) JSON() ([]byte, error) {
	data, err := json.Marshal(m, json.Deterministic(true), json.WithIndent("  "))
	if err != nil {
		return nil, fmt.Errorf("manifest.json: %w", err)
	}
	return append(data, '\n'), nil
}

var (
	plainName = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)
	fileSafe  = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9.+_-]*$`)
)

// Semantic reports whether the version is a semantic version, which clients need to compare versions.
func (m Manifest) Semantic() bool {
	version := "v" + m.Version
	return semver.IsValid(version) && semver.Canonical(version)+semver.Build(version) == version // not 1.2
}

// Check returns everything in a manifest that clients refuse, as one error.
func (m Manifest) Check() error {
	data, err := m.JSON()
	if err != nil {
		return err
	}
	return errors.Join(conforms(data), m.check())
}

// manifestSchema is the JSON Schema of the format, as npm's @anthropic-ai/mcpb 2.1.2 publishes it
// under the MIT licence beside it.
//
//go:embed manifest.schema.json
var manifestSchema []byte

var compiledSchema = sync.OnceValues(func() (*schema.Schema, error) { return schema.Compile(manifestSchema) })

// conforms returns what the format's schema refuses.
func conforms(manifest []byte) error {
	s, err := compiledSchema()
	if err != nil {
		return err
	}
	faults, err := s.Validate(context.Background(), manifest)
	if err != nil {
		return fmt.Errorf("manifest.json: %w", err)
	}
	var errs []error
	for _, fault := range faults {
		errs = append(errs, fmt.Errorf("manifest.json: %s", fault))
	}
	return errors.Join(errs...)
}

// check returns what the schema does not check, such as formats, which are only annotations in a JSON Schema.
func (m Manifest) check() error {
	var errs []error
	refuse := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("manifest.json: "+format, args...))
	}
	if m.ManifestVersion == "" {
		refuse("manifest_version is missing; write %q", ManifestVersion)
	}
	if !plainName.Get().MatchString(m.Name) {
		refuse("name %q: use letters, digits, . _ and -; set it with --name, or MCPB_NAME in mcpb.conf", m.Name)
	}
	if !fileSafe.Get().MatchString(m.Version) {
		refuse("version %q: use letters, digits, . + _ and -, as in 1.0.0", m.Version)
	}
	if m.Description == "" {
		refuse("description is missing; set MCPB_DESCRIPTION in mcpb.conf, or description in server.d/server.meta.json")
	}
	if m.Author.Name == "" {
		refuse("author.name is missing; set MCPB_AUTHOR_NAME in mcpb.conf, or git config user.name")
	}
	if m.Author.Email != "" && !isAddress(m.Author.Email) {
		refuse("author.email %q is not an address, as in me@example.com", m.Author.Email)
	}
	for name, address := range m.addresses() {
		if u, err := url.Parse(address); err != nil || u.Scheme == "" || u.Host == "" {
			refuse("%s %q is not a URL, as in https://example.com/", name, address)
		}
	}
	if m.Server.EntryPoint == "" || m.Server.Config.Program == "" {
		refuse("server needs an entry_point, and a command in mcp_config")
	}
	if _, err := ParseSettings(m.UserConfig); err != nil {
		refuse("user_config: %w", err)
	}
	return errors.Join(errs...)
}

// addresses returns the fields that hold URLs, by name.
func (m Manifest) addresses() map[string]string {
	all := map[string]string{"author.url": m.Author.URL, "homepage": m.Homepage, "documentation": m.Documentation,
		"support": m.Support}
	for name, address := range all {
		if address == "" {
			delete(all, name)
		}
	}
	if m.Repository != nil {
		all["repository.url"] = m.Repository.URL
	}
	for i, address := range m.PrivacyPolicies {
		all[fmt.Sprintf("privacy_policies[%d]", i)] = address
	}
	return all
}
