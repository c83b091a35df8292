package adopt

import (
	"regexp"
	"slices"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/lazyregexp"
)

// own returns the help text of a subcommand without the forms of others, as git log -h shows those of git show, too.
func (s *Source) own(help string) string {
	form := regexp.MustCompile(`(?m)^(?:usage| +or): +` + regexp.QuoteMeta(s.Name) + ` (\S+).*\n`)
	if !strings.Contains(help, ": "+s.Name+" "+s.Command+" ") {
		return help
	}
	begin := "usage"
	return form.ReplaceAllStringFunc(help, func(line string) string {
		if form.FindStringSubmatch(line)[1] != s.Command {
			return ""
		}
		_, shown, _ := strings.Cut(line, ":")
		line, begin = begin+":"+shown, "   or"
		return line
	})
}

// defaulted matches an option as kubectl lists it: -f, --follow=false: and a line with what it means.
var defaulted = lazyregexp.New(`(?m)^( +(?:-\w, )?--[\w-]+)=(\S*|'.*'):\n\t+`)

// withPlaces returns a help text that lists the defaults of options with places for their values instead. What is
// false is a flag.
func withPlaces(help string) string {
	return defaulted.Get().ReplaceAllStringFunc(help, func(listed string) string {
		m := defaulted.Get().FindStringSubmatch(listed)
		switch {
		case m[2] == "false":
			return m[1] + "  "
		case m[2] == "true":
			return m[1] + "=true|false  "
		case numberType(m[2]) == "integer":
			return m[1] + "=INT  "
		}
		return m[1] + "=VALUE  "
	})
}

// repeats makes lists of options that programs with pflag take several times: -e, --env list.
func (r *Reading) repeats() {
	for i := range r.Options {
		o := &r.Options[i]
		words := strings.Fields(o.From)
		if o.Takes && o.Long != "" && len(words) > 1 &&
			slices.Contains([]string{"list", "strings", "stringArray"}, words[len(words)-1]) {
			o.List, o.Style = true, Equals
		}
	}
}
