package house

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// The commands of llms.txt are run by a test in e2e.

func TestWhatAgentsReadNamesFieldsAndCallsThatExist(t *testing.T) {
	read := func(path string) string {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	page, sdk, project := read("llms.txt"), read("docs/SDK.md"), read("docs/PROJECT.md")
	calls := regexp.MustCompile(`\bmcp_[a-z_]+`).FindAllString(page, -1)
	for _, call := range calls {
		if !strings.Contains(sdk, "\n### "+call+"\n") {
			t.Errorf("llms.txt names %s, which docs/SDK.md does not have", call)
		}
	}
	_, table, _ := strings.Cut(page, "\n## Metadata of a tool\n")
	table, _, _ = strings.Cut(table, "\n## ")
	fields := 0
	for line := range strings.Lines(table) {
		cells := strings.Split(line, "|")
		if len(cells) < 3 {
			continue
		}
		for _, field := range quoted.FindAllStringSubmatch(cells[1], -1) {
			fields++
			if !strings.Contains(project, "`"+field[1]+"`") {
				t.Errorf("llms.txt has a field %s, which docs/PROJECT.md does not have", field[1])
			}
		}
	}
	if len(calls) < 20 || fields < 15 {
		t.Errorf("read only %d calls and %d fields", len(calls), fields)
	}
}
