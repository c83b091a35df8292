// Package redact removes secrets from JSON that people will read, such as recordings.
//
// A secret is recognised by the name of its member (token, password, api_key,
// authorization …, see [Named]), by its form (Bearer …, JSON web tokens), or
// because the caller passes it. In case of doubt a text is removed: the schema of an
// argument called password loses its texts too.
package redact

import (
	"bytes"
	"strings"
	"unicode"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/internal/lazyregexp"
)

// Mark replaces a secret.
const Mark = "[redacted]"

// Rules define further secrets, besides those that are always recognised. The zero value
// adds none.
type Rules struct {
	Secrets []string // texts that must not appear anywhere
}

// depth is the maximum nesting of texts that contain JSON.
const depth = 4

// Line returns the JSON value of a line without its secrets, on one line, in UTF-8.
// Numbers and texts keep their spelling. Texts that are JSON themselves, as tools print
// it, are redacted inside. A line that is not JSON becomes a text without parts that look
// like a secret.
func (r Rules) Line(line []byte) []byte {
	if clean, ok := r.value(line, depth); ok {
		return clean
	}
	return json.Quote(r.text(strings.ToValidUTF8(string(line), "\ufffd"), 0))
}

// broken matches a secret member in invalid JSON or prose, up to the end of its text or
// of the line.
var broken = lazyregexp.New(
	`(?is)("[^"]*(?:token|secret|passw|passphrase|authorization|cookie|credential|api[-_ ]?key|private[-_ ]?key)[^"]*"` +
		`\s*:\s*)("(?:[^"\\]|\\.)*"?|[^",}\]]+)`)

// value redacts one JSON value. It returns false if text is not one.
func (r Rules) value(text []byte, depth int) ([]byte, bool) {
	secret := 0 // how deep the member with the name of a secret is in which we are; 0: in none
	out, err := json.Rewrite(text, func(at *json.Decoder, v json.Value, isName bool) json.Value {
		was := json.Text(v)
		if deep := at.StackDepth(); deep < secret || isName && deep == secret {
			secret = 0
		}
		now := was
		switch {
		case isName:
			if now = r.Known(was); secret == 0 && Named(was) {
				secret = at.StackDepth()
			}
		case v.Kind() != '"' && v.Kind() != '0':
			return v
		case secret > 0:
			now = Mark
		case v.Kind() == '"':
			now = r.text(was, depth)
		}
		if now == was {
			return v
		}
		return json.Quote(now)
	})
	return bytes.ToValidUTF8(out, []byte("\ufffd")), err == nil
}

// looks matches secrets by their form.
var looks = lazyregexp.New(`(?i)\b(?:bearer|basic)\s+[A-Za-z0-9._~+/=-]{8,}` +
	`|\beyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*`)

// text redacts the content of a text.
func (r Rules) text(text string, depth int) string {
	if start := strings.TrimSpace(text); strings.HasPrefix(start, "{") || strings.HasPrefix(start, "[") {
		if depth == 0 && json.Value(text).IsValid(json.Verbatim) {
			return Mark
		}
		if depth > 0 {
			if clean, ok := r.value([]byte(text), depth-1); ok {
				if was := json.Value(text).Clone(); was.Compact(json.Verbatim) == nil && string(was) == string(clean) {
					return text // with its whitespace
				}
				return string(clean)
			}
		}
	}
	return looks.Get().ReplaceAllString(broken.Get().ReplaceAllString(r.Known(text), "${1}"+Mark), Mark)
}

// Known returns a text without the secrets that the caller has passed.
func (r Rules) Known(text string) string {
	for _, secret := range r.Secrets {
		if secret != "" {
			text = strings.ReplaceAll(text, secret, Mark)
		}
	}
	return text
}

// secretWords are words in the names of members that hold secrets.
var secretWords = map[string]bool{
	"token": true, "tokens": true, "secret": true, "secrets": true,
	"password": true, "passwords": true, "passwd": true, "passphrase": true, "pwd": true,
	"authorization": true, "cookie": true, "cookies": true, "credential": true, "credentials": true,
	"apikey": true, "privatekey": true, "accesskey": true, "jwt": true, "bearer": true,
}

// harmless are names of the protocol that only sound like secrets.
var harmless = map[string]bool{"progressToken": true, "maxTokens": true}

// Named reports whether a member with this name holds a secret: a word of it is
// token, password, secret, authorization and the like, or two in a row are api,
// private or access and key. Words end where a capital, a digit or a mark begins.
func Named(name string) bool {
	if harmless[name] {
		return false
	}
	before := ""
	for _, word := range words(name) {
		if secretWords[word] || secretWords[before+word] {
			return true
		}
		before = word
	}
	return false
}

// words splits a name, as in api_key, apiKey, API-KEY and APIKey.
func words(name string) []string {
	var all []string
	var word []rune
	end := func() {
		if len(word) > 0 {
			all = append(all, strings.ToLower(string(word)))
			word = nil
		}
	}
	runes := []rune(name)
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r):
			end()
			continue
		case unicode.IsUpper(r) && i > 0 && unicode.IsLower(runes[i-1]),
			unicode.IsUpper(r) && i+1 < len(runes) && unicode.IsLower(runes[i+1]):
			end()
		}
		word = append(word, r)
	}
	end()
	return all
}
