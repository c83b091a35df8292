package house

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/mcp-bash/mcp-bash/v2/internal/madetest"
)

// The beginning of docs/PROTOCOL.md counts its rows for each revision. The revisions of a row are
// in the list of requirements, which is not part of this repository, and for HTTP in the headings.

var revisions = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"}

// counted are rows by how they are shown.
type counted struct{ all, tested, differ, untested int }

func (c *counted) add(r requirement) {
	c.all++
	switch {
	case strings.HasPrefix(r.shown, "differs"):
		c.differ++
	case strings.HasPrefix(r.shown, "no test"):
		c.untested++
	default:
		c.tested++
	}
}

// isFor reports whether a requirement with this mark in the list is for the revision with that
// number: all, V5, V3+, V1..V4 or V1,V3.
func isFor(mark string, revision int) bool {
	mark, _, _ = strings.Cut(mark, " (")
	if mark == "all" {
		return true
	}
	for part := range strings.SplitSeq(mark, ",") {
		m := regexp.MustCompile(`^V(\d)(\+|\.\.V(\d))?$`).FindStringSubmatch(strings.TrimSpace(part))
		if m == nil {
			continue
		}
		from, _ := strconv.Atoi(m[1]) // a digit
		to := from
		if m[2] == "+" {
			to = len(revisions)
		} else if m[3] != "" {
			to, _ = strconv.Atoi(m[3])
		}
		if from <= revision && revision <= to {
			return true
		}
	}
	return false
}

// overHTTP are the marks of the sections about HTTP, by their headings.
var overHTTP = map[string]string{"all revisions": "all", "sessions, 2025-03-26 to 2025-11-25": "V2..V4", "without sessions, 2026-07-28": "V5", "SSE, 2024-11-05": "V1"}

func TestTheScoreOfTheProtocolIsWhatItsRowsSay(t *testing.T) {
	list, err := os.ReadFile("../shared/mcp/requirements.md")
	if err != nil {
		t.Skipf("the list of requirements is missing, so nobody knows which revisions a row is for: %v", err)
	}
	marks := map[string]string{}
	for _, row := range regexp.MustCompile(`(?m)^\| ([A-Z]{1,2}-\d{2}) \| ([^|]+) \|`).FindAllStringSubmatch(string(list), -1) {
		if marks[row[1]] == "" {
			marks[row[1]] = strings.TrimSpace(row[2])
		}
	}
	const path = "docs/PROTOCOL.md"
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	http := map[string]bool{}
	for section := range strings.SplitSeq(string(page), "\n## HTTP") {
		heading, rows, _ := strings.Cut(section, "\n")
		heading = strings.TrimPrefix(strings.TrimPrefix(heading, ": "), " with ")
		if overHTTP[heading] == "" {
			continue // the text before
		}
		for _, row := range regexp.MustCompile(`(?m)^\| ([A-Z]{1,2}-\d{2}) `).FindAllStringSubmatch(rows, -1) {
			marks[row[1]], http[row[1]] = overHTTP[heading], true
		}
	}
	var table strings.Builder
	table.WriteString("| revision | opened by | requirements on stdio | shown by tests | differ | no test | over HTTP | shown by tests | differ | no test |\n|---|---|---|---|---|---|---|---|---|---|\n")
	for i, revision := range revisions {
		var stdio, web counted
		for _, r := range requirements(t, path) {
			if marks[r.id] == "" {
				t.Fatalf("%s has no revisions: see overHTTP, and the list", r.id)
			}
			if !isFor(marks[r.id], i+1) {
				continue
			}
			if http[r.id] {
				web.add(r)
			} else {
				stdio.add(r)
			}
		}
		opened := "`initialize`"
		if i == len(revisions)-1 {
			opened = "each call itself"
		}
		fmt.Fprintf(&table, "| %s | %s | %d | %d | %d | %d | %d | %d | %d | %d |\n", revision, opened,
			stdio.all, stdio.tested, stdio.differ, stdio.untested, web.all, web.tested, web.differ, web.untested)
	}
	madetest.Part(t, path, "score", table.String())
}
