package main

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"
)

// table returns the results as a table for a page. A value of ours is followed by its
// ratio to the floor (or to the base of the row).
func (b *bench) table() string {
	var t strings.Builder
	fmt.Fprintf(&t, "Measured on %s with %s, %s.\n\n", machine(), runtime.Version(), time.Now().Format("2006-01-02"))
	fmt.Fprintf(&t, "| what | %s | spread | floor | Go SDK | mcp-go | bare | goal |\n", ours)
	t.WriteString("|---|---|---|---|---|---|---|---|\n")
	for _, r := range b.rows {
		fmt.Fprintf(&t, "| %s | %s%s | %s | %s | %s | %s | %s | %s |\n", r.name,
			r.cell(ours), r.times(), r.spread(), r.cell(floor), r.cell(goSDK), r.cell(mcpGo), r.bareCell(), r.verdict())
	}
	return t.String()
}

func (r *row) cell(subject string) string {
	if r.results[subject] == nil {
		return "–"
	}
	return r.unit(r.value(subject))
}

func (r *row) bareCell() string {
	return r.cell(bare)
}

func (r *row) times() string {
	ratio := r.ratio(ours)
	if ratio == 0 {
		return ""
	}
	return fmt.Sprintf(" (%.2f ×)", ratio)
}

// spread returns p10 to p90 of ours.
func (r *row) spread() string {
	s := r.results[ours]
	if s == nil || len(*s) < 2 {
		return "–"
	}
	return r.unit(s.at(0.1)) + " to " + r.unit(s.at(0.9))
}

func (r *row) verdict() string {
	if r.goal == 0 && r.most == 0 || r.ratio(ours) == 0 {
		return "–"
	}
	sign, word := "≤", "met"
	if r.more {
		sign = "≥"
	}
	if !r.met() {
		word = "**behind**"
	}
	if r.most != 0 {
		return fmt.Sprintf("%s %s, %s", sign, r.unit(r.most), word)
	}
	return fmt.Sprintf("%s %.4g ×, %s", sign, r.goal, word)
}

// machine describes the processor and the system.
func machine() string {
	name := runtime.GOARCH
	if data, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range bytes.Lines(data) {
			if bytes.HasPrefix(line, []byte("model name")) {
				_, model, _ := bytes.Cut(line, []byte(":"))
				name = string(bytes.TrimSpace(model))
				break
			}
		}
	}
	release := ""
	if data, err := os.ReadFile("/proc/sys/kernel/osrelease"); err == nil {
		release = " " + string(bytes.TrimSpace(data))
	}
	return fmt.Sprintf("%s, %d cores, %s%s", name, runtime.NumCPU(), runtime.GOOS, release)
}

const (
	begins = "<!-- bench -->\n"
	ends   = "<!-- /bench -->"
)

// writeInto replaces the text of a page between the markers.
func writeInto(page, table string) error {
	data, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	before, rest, ok := strings.Cut(string(data), begins)
	_, after, ok2 := strings.Cut(rest, ends)
	if !ok || !ok2 {
		return fmt.Errorf("%s: no place for the table; mark it with %q and %q", page, strings.TrimSpace(begins), ends)
	}
	return os.WriteFile(page, []byte(before+begins+"\n"+table+"\n"+ends+after), 0o644)
}
