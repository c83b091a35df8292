//go:build unix

package proxy

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-bash/mcp-bash/v2/internal/operator"
)

// configurations are the files that start mcp-http.
var configurations = []string{"compose/compose.yaml", "kubernetes/mcp-bash.yaml", "microsoft-mcp-gateway/entrypoint.sh"}

func TestTheVariablesInConfigurationsAreThoseThatMCPHTTPReads(t *testing.T) {
	variable := regexp.MustCompile(`MCPBASH_[A-Z_]+`)
	for _, file := range configurations {
		text, err := os.ReadFile("../../examples/proxy/" + file)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range variable.FindAllString(string(text), -1) {
			if !slices.Contains(operator.Names(), name) {
				t.Errorf("%s: mcp-http does not read the variable %s", file, name)
			}
		}
	}
}

func TestTheFlagsInConfigurationsAreThoseOfMCPHTTP(t *testing.T) {
	help, err := exec.Command(program, "--help").CombinedOutput()
	if err != nil {
		t.Fatal(err)
	}
	flag := regexp.MustCompile(`--[a-z][a-z-]*`)
	for _, file := range configurations {
		text, err := os.ReadFile("../../examples/proxy/" + file)
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for line := range strings.Lines(string(text)) {
			if strings.HasPrefix(strings.TrimSpace(line), "#") { // a command of another program
				continue
			}
			for _, name := range flag.FindAllString(line, -1) {
				found++
				if !strings.Contains(string(help), " "+name+" ") {
					t.Errorf("%s: mcp-http has no flag %s", file, name)
				}
			}
		}
		if found < 5 {
			t.Errorf("%s: found %d flags", file, found)
		}
	}
}
