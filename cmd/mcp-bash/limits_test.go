package main

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/operator"
)

// documented reads the tables of docs/LIMITS.md: the defaults by the variables.
func documented(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile("../../docs/LIMITS.md")
	is.New(t).NoErr(err)
	rows := make(map[string]string)
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, "|")
		if len(cells) != 6 {
			continue
		}
		name, ok := strings.CutPrefix(strings.Trim(strings.TrimSpace(cells[2]), "`"), "MCPBASH_")
		if !ok {
			continue
		}
		if _, twice := rows["MCPBASH_"+name]; twice {
			t.Errorf("docs/LIMITS.md has two rows for MCPBASH_%s", name)
		}
		quoted := strings.Split(cells[3], "`")
		if len(quoted) < 3 {
			t.Errorf("docs/LIMITS.md has no default for MCPBASH_%s", name)
			continue
		}
		rows["MCPBASH_"+name] = quoted[1]
	}
	return rows
}

// changed are the fields of the limits that a variable sets. Those that are not numbers switch
// something on, and so are not limits.
func changed(t *testing.T, i int) (fields []string) {
	t.Helper()
	for _, probe := range []string{"11", "processes=11"} {
		var s operator.Settings
		if operator.Variables(&s)[i].Set(probe) != nil {
			continue
		}
		limits := reflect.ValueOf(s.Limits)
		for i := range limits.NumField() {
			if f := limits.Field(i); f.Kind() != reflect.Bool && !f.IsZero() {
				fields = append(fields, limits.Type().Field(i).Name)
			}
		}
		if s.MaxMemory != 0 { // which serve passes on
			fields = append(fields, "Memory")
		}
		if s.MaxRegistry != 0 { // a limit of the command
			fields = append(fields, "")
		}
	}
	return fields
}

func TestThePageOfLimitsHasThemAllWithTheirDefaults(t *testing.T) {
	rows, set := documented(t), make(map[string]bool)
	for i, v := range operator.Variables(new(operator.Settings)) {
		fields := changed(t, i)
		for _, f := range fields {
			set[f] = true
		}
		said, there := rows[v.Name]
		delete(rows, v.Name)
		switch {
		case !there && len(fields) > 0:
			t.Errorf("%s sets %q of the limits: docs/LIMITS.md has no row for it", v.Name, fields)
		case there && len(fields) == 0:
			t.Errorf("docs/LIMITS.md has a row for %s, which sets none of the limits", v.Name)
		case there && said != v.Fallback:
			t.Errorf("docs/LIMITS.md says that %s is %s; it is %s", v.Name, said, v.Fallback)
		}
	}
	for name := range rows {
		t.Errorf("docs/LIMITS.md has a row for %s, which nothing reads", name)
	}
	limits := reflect.TypeFor[operator.Settings]()
	field, _ := limits.FieldByName("Limits")
	for i := range field.Type.NumField() {
		if f := field.Type.Field(i); f.Type.Kind() != reflect.Bool && !set[f.Name] {
			t.Errorf("no variable sets server.Limits.%s", f.Name)
		}
	}
}
