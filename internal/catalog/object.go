package catalog

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/document"
	"github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/internal/suggest"
)

// An object reads and validates the fields of metadata, and adds a fault for each invalid one. A
// field that is null counts as absent.
type object struct {
	*reading
	prefix  string // of the names of its fields, as in "annotations."
	start   int    // its offset in the document
	members []json.Member
	strict  bool // an invalid value leaves the entry out
}

// strictly returns the object to read fields that restrict. What restricts and cannot be read refuses:
// without it, the entry would be allowed what its author wanted refused.
func (o object) strictly() object {
	o.strict = true
	return o
}

// objectOf parses the object in a document; the fault means that it cannot be read at all.
func objectOf(d *document.Document) (object, *Fault) {
	members, fault := d.Parse()
	return object{reading: &reading{doc: d}, members: members}, fault
}

// get finds a field that is present, not null and not refused.
func (o object) get(name string) (json.Member, bool) {
	m, ok := o.written(name)
	if !ok || o.isRefused(m) || m.Value.Kind() == 'n' {
		return json.Member{}, false
	}
	return m, true
}

// written finds a field that is present, in whatever form.
func (o object) written(name string) (m json.Member, ok bool) {
	i := slices.IndexFunc(o.members, func(m json.Member) bool { return m.Name == name })
	if i < 0 {
		return m, false
	}
	return o.members[i], true
}

// refuse adds a fault that drops the value, or the entry if the object is strict or the reading not tolerant.
func (o object) refuse(m json.Member, reason, hint string) {
	if o.strict || !o.tolerant {
		o.deny(m, reason, hint)
		return
	}
	if !o.isRefused(m) {
		f := o.doc.Fault(m.At, o.prefix+m.Name, reason, hint)
		f.Warning = true
		o.refusals = append(o.refusals, f)
	}
	if o.refused == nil {
		o.refused = make(map[int]bool)
	}
	o.refused[m.Start] = true
}

// deny adds a fault that leaves the entry out.
func (o object) deny(m json.Member, reason, hint string) {
	o.add(o.doc.Fault(m.At, o.prefix+m.Name, reason, hint))
}

// warn adds a fault that does not affect the entry.
func (o object) warn(m json.Member, reason, hint string) {
	f := o.doc.Fault(m.At, o.prefix+m.Name, reason, hint)
	f.Warning = true
	o.add(f)
}

// typed finds a field and refuses it unless it is of the kind: '{', '[', '"', '0', or 't' for true
// and false.
func (o object) typed(name string, kind json.Kind) (json.Member, bool) {
	m, ok := o.get(name)
	if !ok || !o.is(m, kind) {
		return json.Member{}, false
	}
	return m, true
}

// is refuses a member that is not of the kind.
func (o object) is(m json.Member, kind json.Kind) bool {
	return o.isLike(m, kind, typeHint(kind, m.Value))
}

// isLike is the same as is, with another hint.
func (o object) isLike(m json.Member, kind json.Kind, hint string) bool {
	got := kindOf(m.Value)
	if got != kind {
		o.refuse(m, fmt.Sprintf("must be %s, not %s", kindName(kind), kindName(got)), hint)
	}
	return got == kind
}

func kindOf(value json.Value) json.Kind {
	if kind := value.Kind(); kind != 'f' {
		return kind
	}
	return 't'
}

// kindName names a kind in the words of people who write metadata.
func kindName(k json.Kind) string {
	if k == 't' || k == 'f' {
		return "true or false"
	}
	return json.KindName(k)
}

// typeHint returns a hint for missing or superfluous quotes.
func typeHint(want json.Kind, value json.Value) string {
	switch got := kindOf(value); {
	case want == '"' && (got == '0' || got == 't'):
		return fmt.Sprintf("write \"%s\"", value)
	case got == '"' && want == '0':
		return "write a number, without quotes"
	case got == '"' && want == 't':
		return "write true or false, without quotes"
	}
	return ""
}

// text reads a string; empty when absent.
func (o object) text(name string) string {
	m, _ := o.typed(name, '"')
	return json.Text(m.Value)
}

// require adds a fault if a field is absent, and reports whether it is present. The fault of one that is refused
// leaves the entry out.
func (o object) require(name, hint string) bool {
	_, ok := o.get(name)
	if i := slices.IndexFunc(o.refusals, func(f Fault) bool { return f.Field == o.prefix+name }); i >= 0 {
		o.refusals[i].Warning = false
	} else if !ok {
		o.add(o.doc.Fault(o.start, o.prefix+name, "is missing", hint))
	}
	return ok
}

// oneOf refuses a string that is not one of the words.
func (o object) oneOf(m json.Member, words ...string) {
	if word := json.Text(m.Value); !slices.Contains(words, word) {
		o.refuse(m, fmt.Sprintf("must be one of %s, not %q", strings.Join(words, ", "), word), "")
	}
}

// entryName reads the name of an entry, or returns the default one.
func (o object) entryName(fallback string) string {
	m, ok := o.typed("name", '"')
	if !ok {
		return fallback
	}
	name := json.Text(m.Value)
	if strings.TrimSpace(name) == "" || document.OddName(name) {
		o.refuse(m, "is not a name", "write a word or two, on one line")
		return fallback
	}
	return name
}

// flag reads true or false; nil when absent.
func (o object) flag(name string) *bool {
	m, ok := o.typed(name, 't')
	if !ok {
		return nil
	}
	yes := m.Value.Kind() == 't'
	return &yes
}

// number reads a number from least to most; ok is false when it is absent or refused. One in quotes, which the
// Bash program read, is a warning.
func (o object) number(name string, least, most float64) (n float64, ok bool) {
	m, ok := o.get(name)
	text := string(m.Value)
	if ok && m.Value.Kind() == '"' {
		if text = json.Text(m.Value); json.Value(text).Kind() == '0' && json.Value(text).IsValid() {
			o.warn(m, "should be a number, not a string", typeHint('0', m.Value))
			m.Value = json.Value(text)
		}
	}
	if !ok || !o.is(m, '0') {
		return 0, false
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || n < least || n > most {
		o.refuse(m, fmt.Sprintf("must be from %.0f to %.0f", least, most), "")
		return 0, false
	}
	return n, true
}

// maxSeconds is the longest time that metadata may give: a year.
const maxSeconds = 365 * 24 * 60 * 60

// seconds reads a time; nil when absent, which is not the same as 0.
func (o object) seconds(name string) *time.Duration {
	n, ok := o.number(name, 0, maxSeconds)
	if !ok {
		return nil
	}
	d := time.Duration(n * float64(time.Second))
	return &d
}

// whole reads a whole number from least to most; ok is false when it is absent or out of range.
func (o object) whole(name string, least, most int64) (n int64, ok bool) {
	f, ok := o.number(name, float64(least), float64(most))
	if ok && f != math.Trunc(f) {
		m, _ := o.get(name)
		o.refuse(m, "must be a whole number", "")
	}
	return int64(f), ok
}

// count reads a whole number from 1 to most; 0 when absent.
func (o object) count(name string, most int64) int64 {
	n, _ := o.whole(name, 1, most)
	return n
}

// json reads an object as it was written, on one line; nil when absent.
func (o object) json(name string) json.Value {
	m, _ := o.typed(name, '{')
	return o.shown(m)
}

// object reads a nested object; if it is absent or refused, the result has no members.
func (o object) object(name string) object {
	m, ok := o.typed(name, '{')
	if !ok {
		return object{reading: o.reading}
	}
	return o.inner(m)
}

// inner reads a member of o, or an element of one, that is known to be an object.
func (o object) inner(m json.Member) object {
	return object{reading: o.reading, prefix: o.prefix + m.Name + ".", start: m.Start,
		members: o.withoutRefused(document.Members(m)), strict: o.strict}
}

// elements returns the elements of the array m.
func (o object) elements(m json.Member) []json.Member {
	return o.withoutRefused(document.Elements(m))
}

// within finds the value of a JSON pointer in m as it is shown, or its last existing parent. It is
// named like config.fields.0.name.
func (o object) within(m json.Member, pointer json.Pointer) json.Member {
	for token := range pointer.Tokens() {
		i := -1
		var inside []json.Member
		switch m.Value.Kind() {
		case '{':
			inside = document.Members(m)
			i = slices.IndexFunc(inside, func(child json.Member) bool { return child.Name == token && !o.isRefused(child) })
		case '[':
			inside = o.elements(m)
			if n, err := strconv.Atoi(token); err == nil {
				i = n
			}
		}
		if i < 0 || i >= len(inside) {
			break
		}
		if m.Value.Kind() == '{' {
			inside[i].Name = m.Name + "." + token
		}
		m = inside[i]
	}
	return m
}

// warnMisspelled warns of fields that look like a known one but are not: a misspelt field has no
// effect, which its author would not notice. Other unknown fields are ignored.
func (o object) warnMisspelled(known ...string) {
	o.unknown(known, func(m json.Member) {
		if i := slices.IndexFunc(known, func(k string) bool { return isMisspelled(m.Name, k) }); i >= 0 {
			o.warn(m, unknownField, fmt.Sprintf("did you mean %s?", known[i]))
		}
	})
}

const unknownField = "is not a known field, so it has no effect"

// unknown calls do for all fields but the known ones and those that every document may have.
func (o object) unknown(known []string, do func(json.Member)) {
	for _, m := range o.members {
		if m.Name != "_meta" && m.Name != "$schema" && !slices.Contains(known, m.Name) {
			do(m)
		}
	}
}

// isMisspelled reports whether name may stand for the field known: other case or separators
// (timeout_secs), an unfinished word (timeout), or one or two wrong letters in a longer word.
func isMisspelled(name, known string) bool {
	name, known = fold(name), fold(known)
	switch {
	case name == known, len(name) >= 4 && strings.HasPrefix(known, name):
		return true
	case len(known) >= 8:
		return suggest.Distance(name, known) <= 2
	case len(known) >= 5:
		return suggest.Distance(name, known) <= 1
	}
	return false
}

func fold(name string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == ' ' {
			return -1
		}
		return r
	}, name))
}
