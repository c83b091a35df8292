package bundle

import (
	"cmp"
	"errors"
	"fmt"
	"maps"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

// A meta holds the fields of server.d/server.meta.json about bundles.
type meta struct {
	Author              json.Value           `json:"author"`     // a name, or an object
	Repository          json.Value           `json:"repository"` // a URL, or an object
	LongDescriptionFile string               `json:"long_description_file"`
	Icons               []metaIcon           `json:"icons"`
	Screenshots         []string             `json:"screenshots"`
	UserConfig          json.Value           `json:"user_config"`
	UserConfigEnv       map[string]string    `json:"user_config_env_map"`
	UserConfigArgs      []string             `json:"user_config_args_map"`
	PlatformOverrides   map[Platform]Command `json:"platform_overrides"`
	Localization        *Localization        `json:"localization"`
	Meta                json.Value           `json:"_meta"`
}

// A metaIcon is an icon in the form of servers, or in that of bundles.
type metaIcon struct {
	Src   string   `json:"src"`
	Size  string   `json:"size"`
	Sizes []string `json:"sizes"`
	Theme string   `json:"theme"`
}

// parseMeta parses the object; name is for errors.
func parseMeta(v json.Value, name string) (m meta, err error) {
	if len(v) == 0 {
		return m, nil
	}
	if err := decode(v, &m, false); err != nil {
		return m, fmt.Errorf("%s: %w", name, err)
	}
	for p := range m.PlatformOverrides {
		if _, bad := ParsePlatform(string(p)); bad != nil {
			err = errors.Join(err, fmt.Errorf("%s: platform_overrides: %w", name, bad))
		}
	}
	return m, err
}

// complete fills in what mcpb.conf does not set.
func (c *Config) complete(m meta, name string) error {
	var author Author
	if m.Author.Kind() == '"' {
		_ = json.Unmarshal(m.Author, &author.Name) // a string
	} else if len(m.Author) > 0 {
		if err := decode(m.Author, &author, false); err != nil {
			return fmt.Errorf("%s: author: %w", name, err)
		}
	}
	c.Author.or(author)
	if c.Repository == "" && len(m.Repository) > 0 {
		var r Repository
		if m.Repository.Kind() == '"' {
			_ = json.Unmarshal(m.Repository, &r.URL) // a string
		} else if err := decode(m.Repository, &r, false); err != nil {
			return fmt.Errorf("%s: repository: %w", name, err)
		}
		c.Repository = r.URL
	}
	if c.LongDescriptionFile == "" {
		c.LongDescriptionFile = m.LongDescriptionFile
	}
	env := maps.Clone(m.UserConfigEnv)
	if env == nil {
		env = make(map[string]string)
	}
	maps.Copy(env, c.UserConfigEnv)
	c.UserConfigEnv = env
	if c.UserConfigArgs == nil {
		c.UserConfigArgs = m.UserConfigArgs
	}
	return nil
}

// or fills in the empty fields of an author.
func (a *Author) or(other Author) {
	a.Name = cmp.Or(a.Name, other.Name)
	a.Email = cmp.Or(a.Email, other.Email)
	a.URL = cmp.Or(a.URL, other.URL)
}
