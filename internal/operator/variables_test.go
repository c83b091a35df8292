package operator

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestWhatIsSecretOrRestrictsPermissionsIsNotForProjects(t *testing.T) {
	for _, v := range append(Variables(new(Settings)), Elsewhere...) {
		if v.Rules&secret != 0 && (v.ForScripts() || v.Projects()) {
			t.Errorf("%s is a secret that scripts get, or that projects set", v.Name)
		}
	}
	all := Names()
	slices.Sort(all)
	if twice := len(all) - len(slices.Compact(all)); twice > 0 {
		t.Errorf("%d names are in more than one table", twice)
	}
	for older, newer := range olderNames {
		if !slices.Contains(ServerNames(), newer) {
			t.Errorf("%s is an older name of %s, which is not in the table", older, newer)
		}
	}
}

// odd are values that a variable may not have.
func odd(v Variable) []string {
	switch v.Name {
	case "MCPBASH_TOOL_ALLOWLIST", "MCPBASH_TOOL_LIMITS":
		return []string{",", " ,\t"}
	case "MCPBASH_HTTPS_ALLOW_HOSTS", "MCPBASH_GIT_ALLOW_HOSTS":
		return []string{"https://example.com", "a,b c!"}
	case "MCPBASH_HTTPS_DENY_HOSTS", "MCPBASH_GIT_DENY_HOSTS":
		return []string{",", "*.", "a b:x"}
	case "MCPBASH_ROOTS", "MCP_RESOURCES_ROOTS":
		return []string{string(os.PathListSeparator)}
	case "MCPBASH_CGROUP":
		return []string{"mcp", "./x", os.TempDir(), filepath.Join(os.TempDir(), "nowhere")}
	case "MCPBASH_SERVER_DIR":
		return []string{"nowhere", filepath.Join(os.TempDir(), "nowhere"), os.Args[0]}
	case "MCPBASH_TOOL_ALLOW_DEFAULT":
		return []string{"none", "denied"}
	}
	return []string{"ten", "-1", "1e", "nobody=1,x"}
}

func TestWhatRestrictsAndCannotBeReadRefuses(t *testing.T) {
	root := t.TempDir()
	for _, v := range Variables(new(Settings)) {
		for _, name := range []string{v.Name, v.Older()} {
			if name == "" {
				continue
			}
			for _, value := range odd(v) {
				s, _, complaints := ReadProject(map[string]string{name: value}, root)
				switch valid := v.Set(value) == nil; {
				case v.Restricts() && (s.Refusal == nil || !strings.HasPrefix(s.Refusal.Error(), name)):
					t.Errorf("%s=%s: the refusal is %v", name, value, s.Refusal)
				case v.Restricts() && strings.Contains(s.Refusal.Error(), "\n"):
					t.Errorf("%s=%s: the refusal has several lines", name, value)
				case !v.Restricts() && (s.Refusal != nil || !valid && len(complaints) == 0):
					t.Errorf("%s=%s: %v, %v", name, value, s.Refusal, complaints)
				}
			}
		}
		if s, _ := Read(map[string]string{v.Name: v.Fallback}); s.Refusal != nil && v.Fallback != "unset" {
			t.Errorf("%s refuses its default %q", v.Name, v.Fallback)
		}
	}
}

func TestARefusalDoesNotNameASecret(t *testing.T) {
	s, _ := Read(map[string]string{"MCPBASH_REMOTE_TOKEN": "short-one"})
	if s.Refusal == nil || strings.Contains(s.Refusal.Error(), "short-one") {
		t.Error(s.Refusal)
	}
}

func TestAVariableThatWasRemovedIsNamedOnce(t *testing.T) {
	_, complaints := Read(map[string]string{"MCPBASH_PRESTART": "8"})
	want := []string{"the variable MCPBASH_PRESTART has no effect any more: each call starts its own shell; remove it"}
	if !slices.Equal(complaints, want) {
		t.Error(complaints)
	}
}

func TestAListOfVariablesThatHasNoEffectIsWarnedOf(t *testing.T) {
	for _, kind := range []string{"TOOL", "PROVIDER"} {
		list, mode := "MCPBASH_"+kind+"_ENV_ALLOWLIST", "MCPBASH_"+kind+"_ENV_MODE"
		_, complaints := Read(map[string]string{list: "A"})
		if want := []string{list + " has no effect without " + mode + "=allowlist"}; !slices.Equal(complaints, want) {
			t.Error(complaints)
		}
		if _, complaints := Read(map[string]string{list: "A", mode: "allowlist"}); len(complaints) > 0 {
			t.Error(complaints)
		}
	}
}

func TestWhatIsMeantByAlmostTheNameOfAVariableHasAnEffect(t *testing.T) {
	for name, want := range map[string]string{
		"MCPBASH_TOOL_TIMEOUT":         "MCPBASH_DEFAULT_TOOL_TIMEOUT",
		"MCPBASH_TOOL_ALOWLIST":        "MCPBASH_TOOL_ALLOWLIST",
		"MCPBASH_TOOL_TIMEOUT_CAPTURE": "", // of the Bash program
		"MCPBASH_PAGE_SIZE":            "",
		"MCPBASH_MINE":                 "",
		"TOOL_TIMEOUT":                 "",
	} {
		if got := Meant(name); got != want {
			t.Errorf("%s means %q, not %q", name, got, want)
		}
	}
}
