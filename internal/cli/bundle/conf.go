package bundle

import (
	"errors"
	"fmt"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
	"github.com/mcp-bash/mcp-bash/v2/internal/lazyregexp"
	"github.com/mcp-bash/mcp-bash/v2/internal/shellfile"
)

// A Config is what an author sets for a bundle in mcpb.conf. Empty fields are not set.
type Config struct {
	Name, Version, Description  string
	LongDescriptionFile         string
	Author                      Author
	Repository, License         string
	Homepage, Documentation     string
	Support                     string
	Keywords, PrivacyPolicies   []string
	ClaudeDesktop, Python, Node string
	Include                     []string // paths in the project
	// read the project at every start, instead of serving the lists from when the bundle was made
	Dynamic        bool
	UserConfigFile string
	UserConfigEnv  map[string]string // variables, by the key of a setting
	UserConfigArgs []string
}

// A Key is a variable of mcpb.conf.
type Key struct {
	Name    string
	Meaning string
	set     func(string) error
}

// Keys returns all variables of mcpb.conf; reading one sets a field of c.
func (c *Config) Keys() []Key {
	return []Key{
		{"MCPB_NAME", "name of the bundle", text(&c.Name)},
		{"MCPB_VERSION", "its version", text(&c.Version)},
		{"MCPB_DESCRIPTION", "one line about it", text(&c.Description)},
		{"MCPB_LONG_DESCRIPTION_FILE", "a Markdown file that says more", text(&c.LongDescriptionFile)},
		{"MCPB_AUTHOR_NAME", "who made it", text(&c.Author.Name)},
		{"MCPB_AUTHOR_EMAIL", "their address", text(&c.Author.Email)},
		{"MCPB_AUTHOR_URL", "their page", text(&c.Author.URL)},
		{"MCPB_REPOSITORY", "URL of the source", text(&c.Repository)},
		{"MCPB_HOMEPAGE", "URL of the home page", text(&c.Homepage)},
		{"MCPB_DOCUMENTATION", "URL of the manual", text(&c.Documentation)},
		{"MCPB_SUPPORT", "URL for questions", text(&c.Support)},
		{"MCPB_LICENSE", "its license, as in MIT", text(&c.License)},
		{"MCPB_KEYWORDS", "words to find it by", list(&c.Keywords)},
		{"MCPB_PRIVACY_POLICIES", "URLs of the policies of services that it sends data to", list(&c.PrivacyPolicies)},
		{"MCPB_COMPAT_CLAUDE_DESKTOP", "versions of Claude Desktop that it needs, as in >=1.0.0", text(&c.ClaudeDesktop)},
		{"MCPB_RUNTIME_PYTHON", "versions of Python that its tools need", text(&c.Python)},
		{"MCPB_RUNTIME_NODE", "versions of Node.js that its tools need", text(&c.Node)},
		{"MCPB_INCLUDE", "more files and folders of the project that go in", list(&c.Include)},
		{"MCPB_STATIC", "false: look at the project at every start; " +
			"else the lists are served as they are when the bundle is made", c.setStatic},
		{"MCPB_USER_CONFIG_FILE", "a JSON file with the settings that clients ask for", text(&c.UserConfigFile)},
		{"MCPB_USER_CONFIG_ENV_MAP", "variables that settings become, as in api_key=MY_API_KEY", func(v string) (err error) {
			c.UserConfigEnv, err = pairs(v)
			return err
		}},
		{"MCPB_USER_CONFIG_ARGS_MAP", "settings that become arguments of run-server.sh: " +
			"folders among them are what tools work in", list(&c.UserConfigArgs)},
	}
}

func text(at *string) func(string) error {
	return func(v string) error { *at = v; return nil }
}

func list(at *[]string) func(string) error {
	return func(v string) error { *at = words(v); return nil }
}

// ReadConfig reads mcpb.conf at path. It has the syntax of a shell script, but is data: assignments
// of plain text and of variables that it has set before. Anything else is an error, with file and
// line; nothing is run. The error is fs.ErrNotExist if the file does not exist.
func ReadConfig(path, name string) (Config, error) {
	var c Config
	text, err := files.Read(path, shellfile.FileBytes)
	if err != nil {
		return c, err
	}
	err = parseConfig(text, name, &c)
	return c, err
}

func parseConfig(text []byte, name string, c *Config) error {
	known := make(map[string]Key)
	for _, key := range c.Keys() {
		known[key.Name] = key
	}
	return shellfile.ReadAssignments(text, name, shellfile.AssignmentOptions{Lists: true},
		func(a shellfile.Assignment) error {
			key, ok := known[a.Name]
			switch {
			case ok:
				return key.set(a.Value)
			case strings.HasPrefix(a.Name, "MCPB_"):
				return errors.New("is not known; `mcp-bash bundle --help` lists the names")
			}
			return nil
		})
}

// words splits a list at blanks and commas.
func words(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(", \t\n", r) })
}

func (c *Config) setStatic(text string) error {
	switch strings.ToLower(text) {
	case "true", "1", "yes":
		c.Dynamic = false
	case "false", "0", "no":
		c.Dynamic = true
	case "":
	default:
		return fmt.Errorf("%q must be true or false", text)
	}
	return nil
}

// variableName matches a valid name of a shell variable.
var variableName = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*$`)

// pairs reads a list of key=VARIABLE.
func pairs(text string) (map[string]string, error) {
	all := make(map[string]string)
	for _, word := range words(text) {
		key, variable, ok := strings.Cut(word, "=")
		if !ok {
			return nil, fmt.Errorf("%q must be key=VARIABLE: its variable is not defined", word)
		}
		all[key] = variable
	}
	return all, nil
}
