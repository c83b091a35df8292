package adopt

import (
	"bytes"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/jsonv2/jsontext"
)

// lineLength is the longest line that objects and arrays are joined to.
const lineLength = 110

// short puts objects and arrays of indented JSON on one line if they fit, as people write them.
func short(indented []byte) []byte {
	lines := strings.Split(string(indented), "\n")
	var out []string
	for i := 0; i < len(lines); {
		joined, n := join(lines[i:])
		out = append(out, joined)
		i += n
	}
	return []byte(strings.Join(out, "\n"))
}

// join joins the lines of the value that begins on the first line, if the result fits; n is how many
// lines were joined.
func join(lines []string) (line string, n int) {
	first := lines[0]
	body := strings.TrimLeft(first, " ")
	indent := len(first) - len(body)
	if !strings.HasSuffix(body, "{") && !strings.HasSuffix(body, "[") || indent == 0 {
		return first, 1
	}
	for end := 1; end < len(lines); end++ {
		rest := strings.TrimLeft(lines[end], " ")
		if len(lines[end])-len(rest) > indent {
			continue
		}
		at := strings.IndexAny(body[len(key(body)):], "{[") + len(key(body))
		value := body[at:] + strings.Join(lines[1:end], "\n") + "\n" + strings.TrimSuffix(rest, ",")
		var b bytes.Buffer
		if err := jsontext.NewEncoder(&b, jsontext.SpaceAfterColon(true), jsontext.SpaceAfterComma(true)).WriteValue(jsontext.Value(value)); err != nil {
			return first, 1
		}
		line := first[:indent] + body[:at] + strings.TrimSpace(b.String())
		if strings.HasSuffix(rest, ",") {
			line += ","
		}
		if len(line) > lineLength {
			return first, 1
		}
		return line, end + 1
	}
	return first, 1
}

// key returns the name of a member with its colon, empty for none.
func key(body string) string {
	if !strings.HasPrefix(body, `"`) {
		return ""
	}
	for i := 1; i < len(body); i++ {
		switch body[i] {
		case '\\':
			i++
		case '"':
			if strings.HasPrefix(body[i+1:], ": ") {
				return body[:i+3]
			}
			return ""
		}
	}
	return ""
}
