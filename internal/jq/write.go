package jq

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A writer writes values as JSON texts in the form that jq gives them.
type writer struct {
	bytes.Buffer
	orders *orders
	indent string // of one level; "" for everything on one line
	ascii  bool
	sort   bool // sort the keys of objects
}

func (w *writer) value(v any, level int) {
	switch v := v.(type) {
	case nil:
		w.WriteString("null")
	case bool:
		w.WriteString(strconv.FormatBool(v))
	case int:
		w.Write(strconv.AppendInt(w.AvailableBuffer(), int64(v), 10))
	case float64:
		w.Write(appendFloat(w.AvailableBuffer(), v))
	case *big.Int:
		w.Write(v.Append(w.AvailableBuffer(), 10))
	case json.Number:
		w.WriteString(string(v))
	case string:
		w.text(v)
	case []any:
		w.array(v, level)
	case map[string]any:
		w.object(v, level)
	default:
		panic(fmt.Sprintf("jq: a value of type %T", v))
	}
}

func (w *writer) array(items []any, level int) {
	if len(items) == 0 {
		w.WriteString("[]")
		return
	}
	w.WriteByte('[')
	for i, v := range items {
		w.separate(i, level+1)
		w.value(v, level+1)
	}
	w.newline(level)
	w.WriteByte(']')
}

func (w *writer) object(object map[string]any, level int) {
	if len(object) == 0 {
		w.WriteString("{}")
		return
	}
	var keys []string
	if w.sort {
		keys = slices.Sorted(maps.Keys(object))
	} else {
		keys = w.orders.of(object)
	}
	w.WriteByte('{')
	for i, k := range keys {
		w.separate(i, level+1)
		w.text(k)
		w.WriteByte(':')
		if w.indent != "" {
			w.WriteByte(' ')
		}
		w.value(object[k], level+1)
	}
	w.newline(level)
	w.WriteByte('}')
}

// separate writes what stands before item i.
func (w *writer) separate(i, level int) {
	if i > 0 {
		w.WriteByte(',')
	}
	w.newline(level)
}

func (w *writer) newline(level int) {
	if w.indent != "" {
		w.WriteByte('\n')
		for range level {
			w.WriteString(w.indent)
		}
	}
}

func (w *writer) text(s string) {
	w.WriteByte('"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if c < ' ' || c == '"' || c == '\\' || c == 0x7f {
				w.WriteString(s[from:i])
				w.escape(c)
				from = i + 1
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if w.ascii || r == utf8.RuneError {
			w.WriteString(s[from:i])
			w.rune(r)
			from = i + size
		}
		i += size
	}
	w.WriteString(s[from:])
	w.WriteByte('"')
}

func (w *writer) escape(c byte) {
	w.WriteByte('\\')
	if i := strings.IndexByte("\"\\\b\f\n\r\t", c); i >= 0 {
		w.WriteByte(`"\bfnrt`[i])
	} else {
		fmt.Fprintf(w, "u%04x", c)
	}
}

func (w *writer) rune(r rune) {
	switch {
	case !w.ascii:
		w.WriteRune(r)
	case r > 0xffff:
		r -= 0x10000
		fmt.Fprintf(w, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
	default:
		fmt.Fprintf(w, `\u%04x`, r)
	}
}

// json returns v as a JSON text in one line.
func (o *orders) json(v any) string {
	w := writer{orders: o}
	w.value(v, 0)
	return w.String()
}
