package uritemplate_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/matryer/is"
	oracle "github.com/yosida95/uritemplate/v3"

	"github.com/mcp-bash/mcp-bash/v2/internal/uritemplate"
)

func TestURIsMatchAsInTheLibrary(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	pick := func(from ...string) string { return from[r.IntN(len(from))] }
	matched := 0
	for range 1_000 {
		template := "x:"
		for range 1 + r.IntN(3) {
			template += pick("", "/", "a", "-") + "{" + pick("", "", "+", "#", ".", "/", ";", "?", "&")
			for i := range 1 + r.IntN(3) {
				if i > 0 {
					template += ","
				}
				template += pick("a", "b", "cd") + pick("", "", "*", ":2")
			}
			template += "}"
		}
		ours, err := uritemplate.New(template)
		if err != nil {
			t.Fatalf("%s: %v", template, err)
		}
		library := oracle.MustNew(template)
		for range 10 {
			uri := "x:"
			for range r.IntN(8) {
				uri += pick("a", "b", "cd", "=", "a=", "b=1", "cd=", ",", "/", ".", ";", "&", "?", "#", "%41", "-", "x")
			}
			if r.IntN(2) == 0 {
				uri = expanded(r, library)
			}
			got, ok := ours.Match(uri)
			want := library.Match(uri)
			if ok != (want != nil) {
				t.Fatalf("%s and %s: got %v, want %v", template, uri, got, want)
			}
			if !ok {
				continue
			}
			matched++
			lists := map[string][]string{}
			for name, v := range want {
				lists[name] = v.V
			}
			if strings.Contains(template, ":2") {
				continue // which the library does not return by name
			}
			if cmp.Diff(lists, got) != "" {
				t.Fatalf("%s and %s: got %q, want %q", template, uri, got, lists)
			}
		}
	}
	is.New(t).True(matched > 1_000)
}

// expanded returns a URI that the template expands to.
func expanded(r *rand.Rand, template *oracle.Template) string {
	values := oracle.Values{}
	for _, name := range template.Varnames() {
		switch r.IntN(4) {
		case 0:
		case 1:
			values[name] = oracle.List("1", "two", "a=b,c")
		default:
			values[name] = oracle.String([]string{"", "v", "a/b?c", "x.y", "ü"}[r.IntN(5)])
		}
	}
	uri, _ := template.Expand(values)
	return uri
}

func TestExpensiveTemplatesAreRefused(t *testing.T) {
	for template, want := range map[string]string{
		"x:{":                             "is not a URI template",
		"x:" + strings.Repeat("{a}", 33):  "has more than 32 variables",
		"x:{a:100,b:100,c:100,d:1}":       "has prefixes of more than 300 characters together",
		"x:{a:101}":                       "has a variable with a prefix of more than 100 characters",
		"x:" + strings.Repeat("a", 2<<10): "is too long: it has 2050 bytes, the limit is 2048",
	} {
		is := is.New(t)
		_, err := uritemplate.New(template)
		is.True(err != nil) // refused
		is.True(regexp.MustCompile("^" + regexp.QuoteMeta(want)).MatchString(err.Error()))
	}
}

// The work of a match is bounded by the size of the pattern times the length of the URI. This
// matches the largest of both.
func TestTheLargestTemplatesMatchTheLongestURIs(t *testing.T) {
	for _, expression := range []string{"{%s*}", "{+%s*}", "{%s:9}", "{;%s*}", "{?%s}", "{.%s*}", "{/%s*}"} {
		is := is.New(t)
		template := "x:"
		for i := range uritemplate.MaxVariables {
			template += fmt.Sprintf(expression, fmt.Sprintf("v%d", i))
		}
		tmpl, err := uritemplate.New(template)
		is.NoErr(err)
		for _, part := range []string{"a,", "a", "/", ".", "%41", ",", ";v1=1"} {
			uri := "x:" + strings.Repeat(part, (uritemplate.MaxBytes-3)/len(part)) + "^"
			_, ok := tmpl.Match(uri)
			is.True(!ok) // which requires trying all of it
		}
	}
}
