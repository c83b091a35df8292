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
			got, exact, _ := ours.Match(uri)
			want := library.Match(uri)
			if exact != (want != nil) {
				t.Fatalf("%s and %s: got %v, want %v", template, uri, got, want)
			}
			if !exact {
				continue
			}
			matched++
			lists := map[string][]string{}
			for name, v := range want {
				lists[name] = v.V
			}
			if repeated(template) || cmp.Diff(lists, got) != "" {
				for name := range lists { // a comma in the value of a variable that is not a list is part of it
					lists[name], got[name] = []string{strings.Join(lists[name], ",")}, []string{strings.Join(got[name], ",")}
				}
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

// repeated reports whether a variable is in a template more than once.
func repeated(template string) bool {
	return strings.Count(template, "{a")+strings.Count(template, ",a") > 1
}

// What an expander makes of values comes back as these values, also if they have characters that it should have
// escaped: the TypeScript SDK uses encodeURIComponent, or encodeURI for reserved expansion, and others nothing.
func TestWhatClientsMakeOfValuesComesBackAsTheseValues(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	text := func(from string) string {
		all, text := []rune(from), ""
		for range 1 + r.IntN(6) {
			text += string(all[r.IntN(len(all))])
		}
		return text
	}
	const letters, marks, reserved, others = "abZ09-_.~", "!*'()", ":@$&+,;=/?#[]", " \"<>%ü漢🙂é{}|^"
	templates := []string{
		"x://h/{a}", "x://h/{a}/{b}", "x://{a}/é/{b}.txt", "x://h{/a,b}", "x://h/{a}{?b}", "x://h{?a,b}", "x://h?c=1{&a,b}",
		"x://h/{a}{#b}", "x://h/{a}/{+b}", "x://h{;a,b}", "x://h/{a:6}", "x://h/{a}{?b:6}",
	}
	parsed := map[string]*uritemplate.Template{}
	for range 2_000 {
		template := templates[r.IntN(len(templates))]
		ours := parsed[template]
		if ours == nil {
			var err error
			if ours, err = uritemplate.New(template); err != nil {
				t.Fatalf("%s: %v", template, err)
			}
			parsed[template] = ours
		}
		simple, loose := map[string][]string{}, map[string][]string{}
		for _, name := range ours.Variables() {
			v := text(letters + marks + reserved + others)
			if strings.Contains(template, "+b") || strings.Contains(template, "#b") {
				v = strings.ReplaceAll(v, "%", "") // reserved expansion leaves escapes as they are
			}
			simple[name] = []string{v}
			loose[name] = []string{text(letters + "!*'() éü漢@$\"")} // what no URI, and none of these templates, separates by
		}
		rfc := func(v string) string { return jsEscaped(v, "-_.~") }
		expanded := written(template, simple, rfc, func(v string) string { return jsEscaped(v, "-_.~:/?#[]@!$&'()*+,;=") })
		component := func(v string) string { return jsEscaped(v, "-_.!~*'()") }
		for _, c := range []struct {
			uri  string
			want map[string][]string
		}{
			{expanded, simple},
			{strings.ReplaceAll(expanded, "é", "%C3%A9"), simple},
			{written(template, simple, component, func(v string) string { return jsEscaped(v, "-_.!~*'();/?:@&=+$,#") }),
				simple},
			{written(template, loose, verbatim, verbatim), loose},
		} {
			if got, _, ok := ours.Match(c.uri); !ok || cmp.Diff(c.want, got) != "" {
				t.Fatalf("%s made %s of %q, which comes back as %q", template, c.uri, c.want, got)
			}
		}
	}
}

func verbatim(v string) string { return v }

// jsEscaped escapes as JavaScript does, all but letters, digits and some marks.
func jsEscaped(v, marks string) string {
	var b strings.Builder
	for i := range len(v) {
		if c := v[i]; c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || strings.IndexByte(marks, c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// written expands a template of those in the test, with functions that escape values.
func written(template string, values map[string][]string, simple, reserved func(string) string) string {
	return regexp.MustCompile(`\{([+#/?&;]?)([^}]*)\}`).ReplaceAllStringFunc(template, func(expression string) string {
		expression = strings.Trim(expression, "{}")
		operator, names := "", expression
		if strings.ContainsAny(expression[:1], "+#/?&;") {
			operator, names = expression[:1], expression[1:]
		}
		var parts []string
		for _, name := range strings.Split(names, ",") {
			name, _, _ = strings.Cut(name, ":")
			v := simple(values[name][0])
			if operator == "+" || operator == "#" {
				v = reserved(values[name][0])
			}
			if strings.Contains("?&;", operator) && operator != "" {
				v = name + "=" + v
			}
			parts = append(parts, v)
		}
		separator := map[string]string{"/": "/", "?": "&", "&": "&", ";": ";"}[operator]
		return strings.TrimPrefix(operator, "+") + strings.Join(parts, separator)
	})
}

func TestACommaIsPartOfAValueThatIsNoList(t *testing.T) {
	for _, c := range []struct{ template, uri, want string }{
		{"x:{id}", "x:a,b", "a,b"},
		{"x:{id}", "x:a%2Cb", "a,b"},
		{"x:{?id}", "x:?id=a,b", "a,b"},
		{"x:{;id}", "x:;id=a,b", "a,b"},
		{"x:{/id}", "x:/a,b", "a,b"},
		{"x:{id:3}", "x:a,b", "a,b"},
		{"x:{id*}", "x:a,b", "a|b"},
		{"x:{id}", "x:it's%20(ok)!", "it's (ok)!"},
		{"x:{id}", "x:hello world", "hello world"},
		{"x:{id}", "x:a@b.c", "a@b.c"},
		{"x:{id}", "x:50% of AT&T", "50% of AT&T"},
		{"x:straße/{id}", "x:stra%c3%9fe/é", "é"},
		{"x:stra%C3%9Fe/{id}", "x:straße/1", "1"},
		{"x:{id}", "x:a/b", "none"},
		{"x:{id}", "x:a\nb", "none"},
	} {
		is := is.New(t)
		template, err := uritemplate.New(c.template)
		is.NoErr(err)
		got := "none"
		if values, _, ok := template.Match(c.uri); ok {
			got = strings.Join(values["id"], "|")
		}
		is.Equal(c.template+" "+c.uri+" "+got, c.template+" "+c.uri+" "+c.want)
	}
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
			uri := "x:" + strings.Repeat(part, (uritemplate.MaxBytes-3)/len(part)) + "\x01"
			_, _, ok := tmpl.Match(uri)
			is.True(!ok) // which requires trying all of it
		}
	}
}
