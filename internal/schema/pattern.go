package schema

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/dlclark/regexp2"
	"github.com/dlclark/regexp2/syntax"

	"github.com/mcp-bash/mcp-bash/v2/internal/lazyregexp"
)

// matchTimeout ends a match with catastrophic backtracking. regexp2 checks the clock
// only occasionally, so a match may take a few times longer.
const matchTimeout = 50 * time.Millisecond

// A pattern is a regular expression of JSON Schema, that is of JavaScript. RE2
// supports most of them and always runs in linear time; the others, mainly those with
// lookaheads, use a backtracking engine.
type pattern struct {
	source string
	match  matcher
}

// A matcher reports whether a text contains a match. It returns an error soon after its context
// has ended or the time most has passed.
type matcher func(ctx context.Context, text string, most time.Duration) (bool, error)

// slowPattern is the error of a pattern that takes too long.
type slowPattern struct{ source string }

func (s slowPattern) Error() string {
	return fmt.Sprintf("the pattern %s takes too long on this document", clip(s.source))
}

// longText is how many bytes a pattern reads between checks of the context.
const longText = 4 << 10

func compilePattern(source string) (*pattern, error) {
	if re, err := regexp.Compile(rewriteUnicode(source, `\x{%x}`)); err == nil {
		return &pattern{source, func(ctx context.Context, text string, most time.Duration) (bool, error) {
			if len(text) <= longText {
				return re.MatchString(text), nil
			}
			t := patternText{Reader: strings.NewReader(text), ctx: ctx, until: time.Now().Add(most), source: source}
			ok := re.MatchReader(&t)
			return ok, t.err
		}}, nil
	}
	re, err := regexp2.Compile(rewriteUnicode(source, `\u{%x}`), regexp2.ECMAScript|regexp2.Unicode)
	if err != nil {
		why := err.Error()
		if e, ok := errors.AsType[*syntax.Error](err); ok {
			why = fmt.Sprintf(e.Code.String(), e.Args...) // without the pattern, which may be long
		}
		return nil, fmt.Errorf("is not a supported regular expression: %s", clip(why))
	}
	re.MatchTimeout = matchTimeout
	return &pattern{source, func(ctx context.Context, text string, _ time.Duration) (bool, error) {
		if err := contextErr(ctx); err != nil {
			return false, err
		}
		ok, err := re.MatchString(text)
		if err != nil {
			return false, slowPattern{source}
		}
		return ok, nil
	}}, nil
}

// A patternText reads a long text, which ends early when the time is over.
type patternText struct {
	*strings.Reader
	ctx    context.Context
	until  time.Time
	source string
	runes  int
	err    error // why it ended early
}

// ReadRune implements io.RuneReader.
func (t *patternText) ReadRune() (rune, int, error) {
	if t.runes++; t.runes%longText == 0 {
		if t.err = contextErr(t.ctx); t.err == nil && time.Now().After(t.until) {
			t.err = slowPattern{t.source}
		}
		if t.err != nil {
			return 0, 0, io.EOF
		}
	}
	return t.Reader.ReadRune()
}

// rewriteUnicode replaces the escapes \u0041, \u{41} and the surrogate pairs
// \uD83D\uDE00 by format, a format for the code point.
func rewriteUnicode(source, format string) string {
	if !strings.Contains(source, `\u`) {
		return source
	}
	return escape.Get().ReplaceAllStringFunc(source, func(found string) string {
		first, second, _ := strings.Cut(strings.TrimPrefix(found, `\u`), `\u`)
		r, err := strconv.ParseUint(strings.Trim(first, "{}"), 16, 21)
		switch {
		case err != nil || !strings.HasPrefix(found, `\u`):
			return found
		case second != "":
			low, _ := strconv.ParseUint(second, 16, 16)
			r = uint64(utf16.DecodeRune(rune(r), rune(low)))
		}
		return fmt.Sprintf(format, r)
	})
}

// escape matches an escape: of a code point, or of any other character, such as \\.
var escape = lazyregexp.New(`(?s)\\u\{[0-9A-Fa-f]+\}|\\u[Dd][89ABab][0-9A-Fa-f]{2}\\u[Dd][C-Fc-f][0-9A-Fa-f]{2}|` +
	`\\u[0-9A-Fa-f]{4}|\\.`)
