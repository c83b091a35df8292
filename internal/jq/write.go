package jq

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/itchyny/gojq"
)

// format returns a value as JSON, formatted by the options.
func (o *options) format(v any) ([]byte, error) {
	indent := strings.Repeat(" ", o.indent)
	if o.tab {
		indent = "\t"
	}
	b, err := gojq.Marshal(v)
	if err == nil && !o.compact && indent != "" {
		var pretty bytes.Buffer
		err = json.Indent(&pretty, b, "", indent)
		b = pretty.Bytes()
	}
	if o.ascii {
		b = escapeNonASCII(b)
	}
	return b, err
}

// escapeNonASCII escapes all non-ASCII characters of a JSON text, which can only be in strings.
func escapeNonASCII(b []byte) []byte {
	var out bytes.Buffer
	for _, r := range string(b) {
		if r < utf8.RuneSelf {
			out.WriteByte(byte(r))
			continue
		}
		for _, unit := range utf16.AppendRune(nil, r) {
			fmt.Fprintf(&out, `\u%04x`, unit)
		}
	}
	return out.Bytes()
}

// text returns a string unchanged, and other values as JSON on one line.
func text(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	return compact(v)
}

func compact(v any) string {
	b, _ := gojq.Marshal(v) // supports all values that gojq returns
	return string(b)
}
