package clients

import (
	"reflect"
	"strings"
	"testing"
)

// FuzzEdit edits whatever a file may hold, in every format. Whatever an editor accepts, it must
// keep: all bytes when it adds, and all it says when it takes out again.
func FuzzEdit(f *testing.F) {
	for i, name := range formats {
		for _, text := range filesBefore[name] {
			f.Add(i, text)
		}
	}
	f.Add(0, "{\"a\":1,// x\n\"mcpServers\":{\"weather\":{},// y\n\"b\":2/**/,},}")
	f.Add(0, "{\"mcpServers\":{// x\n\"weather\":1,\"b\":2}}")
	f.Add(1, "[mcp_servers.weather.env]\nA='x'\n[mcp_servers.weather]\ncommand='y'\n")
	f.Add(2, "extensions:\n  weather: &a\n    cmd: x\n  b: 1\n")
	f.Add(2, "extensions: !")
	f.Add(2, " \r ")
	f.Add(2, "{extensions: {a: 1, weather: {\"cmd\": \"x\"}}}")
	f.Fuzz(func(t *testing.T, which int, text string) {
		c := client(t, formats[uint(which)%uint(len(formats))])
		e := weather("linux")
		put, err := c.Put(text, "weather", e)
		if err != nil {
			return // refused, which is always safe
		}
		got, found, err := c.Get(put, "weather")
		if err != nil || !found || !reflect.DeepEqual(got, e) {
			t.Fatalf("put %q, got %v, %v, %v", put, got, found, err)
		}
		if _, there, _ := c.Get(text, "weather"); !there && !within(squeezed(text), put) {
			t.Fatalf("%q lost something of %q", put, text)
		}
		before, err := c.others(strings.TrimPrefix(text, bom), "weather")
		if err != nil {
			t.Fatal(err)
		}
		for _, emptied := range []bool{false, true} {
			taken, err := c.Remove(put, "weather", emptied)
			if err != nil {
				t.Fatalf("%q: %v", put, err)
			}
			after, err := c.decode(taken)
			if err != nil {
				t.Fatalf("%q: %v", taken, err)
			}
			if servers, _ := after[c.parent].(map[string]any); len(servers) == 0 {
				delete(after, c.parent)
			}
			if !reflect.DeepEqual(before, after) {
				t.Fatalf("%q became %q", text, taken)
			}
		}
	})
}

// FuzzUpdate updates whatever entry a file may hold. What is not refused starts the new program, and
// is updated once only.
func FuzzUpdate(f *testing.F) {
	for i, name := range formats {
		for _, text := range edited[name] {
			f.Add(i, text)
		}
	}
	f.Add(2, "extensions:\n  weather: &a\n    cmd: !!str x\n    envs: *b\n")
	f.Add(2, "extensions:\n  weather:\n    cmd: |\n      x\n    args:\n    - serve\n    envs:\n")
	f.Fuzz(func(t *testing.T, which int, text string) {
		c := client(t, formats[uint(which)%uint(len(formats))])
		if all, err := c.decode(text); err != nil || dig(all, c.parent, "weather") == nil {
			return
		}
		e := weather("linux")
		once, err := c.Update(text, "weather", e)
		if err != nil {
			return // refused, which is always safe
		}
		got, found, err := c.Get(once, "weather")
		if err != nil || !found || !got.covers(e) {
			t.Fatalf("%q became %q, got %v, %v, %v", text, once, got, found, err)
		}
		if twice, err := c.Update(once, "weather", e); err != nil || twice != once {
			t.Fatalf("%q became %q, then %q, %v", text, once, twice, err)
		}
	})
}

var formats = []string{"cursor", "codex", "goose"}

// squeezed leaves out blanks, which empty braces may lose, and the braces of an empty YAML mapping.
func squeezed(text string) string {
	return strings.NewReplacer(" ", "", "\t", "", "\r", "", "\n", "", "{}", "").Replace(text)
}

// within reports whether all bytes of part are in text, in order.
func within(part, text string) bool {
	for i := 0; i < len(text) && part != ""; i++ {
		if text[i] == part[0] {
			part = part[1:]
		}
	}
	return part == ""
}
