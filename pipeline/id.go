package pipeline

import (
	"bytes"
	"cmp"
	"strconv"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

// An ID identifies a call: a JSON string or number in exactly the spelling in which it came, so
// that 1, "1", 1.0 and 2^60 all return as they were sent (J-02). The zero ID means no id.
type ID struct{ raw string }

// ParseID reads an id from JSON. It reports false for everything that cannot identify a call: null,
// booleans, objects, arrays, and invalid JSON (J-04).
func ParseID(raw []byte) (ID, bool) {
	raw = bytes.TrimSpace(raw)
	v := json.Value(raw)
	if k := v.Kind(); k != '"' && k != '0' || !v.IsValid(json.Lenient) {
		return ID{}, false
	}
	return ID{string(raw)}, true
}

// String returns the id as it is on the wire, "" for no id.
func (id ID) String() string { return id.raw }

// IsZero reports whether there is no id.
func (id ID) IsZero() bool { return id.raw == "" }

// Key returns a text that is equal for all spellings of the same id, for use in maps: "a" and
// "\u0061" have one key, and so have 1, 1.0 and 1e0; 1 and "1" have two.
func (id ID) Key() string {
	if !id.unusual() {
		return id.raw
	}
	switch {
	case strings.HasPrefix(id.raw, `"`) && strings.Contains(id.raw, `\`):
		if s, err := json.AppendUnquote(nil, id.raw); err == nil {
			if q, err := json.AppendQuote(nil, s); err == nil {
				return string(q)
			}
		}
	case !strings.HasPrefix(id.raw, `"`) && (strings.ContainsAny(id.raw, ".eE") || id.raw == "-0"):
		return numberKey(id.raw)
	}
	return id.raw
}

// unusual reports whether an id may have several spellings. It is a loop, as every message is asked several times.
func (id ID) unusual() bool {
	for i := range len(id.raw) {
		switch id.raw[i] {
		case '.', 'e', 'E', '-', '\\':
			return true
		}
	}
	return false
}

// numberKey returns one spelling of a JSON number: its digits without those that do not count, as an
// integer if it is a short one.
func numberKey(raw string) string {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(raw), "e")
	power, err := strconv.ParseInt(cmp.Or(exponent, "0"), 10, 32)
	if err != nil {
		return raw // nobody counts that far
	}
	mantissa, negative := strings.CutPrefix(mantissa, "-")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	power -= int64(len(fraction))
	short := strings.TrimRight(digits, "0")
	power += int64(len(digits) - len(short))
	key := short
	switch {
	case short == "":
		return "0"
	case power >= 0 && power <= 32:
		key += strings.Repeat("0", int(power))
	case power != 0:
		key += "e" + strconv.FormatInt(power, 10)
	}
	if negative {
		key = "-" + key
	}
	return key
}
