package catalog

import "bytes"

const (
	headLines = 10       // in which inline metadata is looked for
	headBytes = 64 << 10 // which these lines may take
)

// inlineMetadata finds the metadata in a comment of the first ten lines of a script, with its line:
//
//	# mcp: {"description": "Says hello", "inputSchema": {…}}
//
// The comment begins with #, //, -- or <!--, depending on the language. An mcp: comment without
// JSON is reported with a nil text.
func inlineMetadata(head []byte) (text []byte, line int, found bool) {
	if bytes.IndexByte(head[:min(512, len(head))], 0) >= 0 {
		return nil, 0, false // a compiled program
	}
	line = 0
	for l := range bytes.Lines(trimBOM(head)) {
		if line++; line > headLines {
			break
		}
		comment, ok := commentText(l)
		if !ok {
			continue
		}
		rest, ok := bytes.CutPrefix(comment, []byte("mcp:"))
		if !ok {
			continue
		}
		if text = bytes.TrimSpace(rest); !bytes.HasPrefix(text, []byte("{")) {
			text = nil
		}
		return text, line, true
	}
	return nil, 0, false
}

// commentText returns the text of a comment line.
func commentText(line []byte) ([]byte, bool) {
	line = bytes.TrimSpace(line)
	if rest, ok := bytes.CutPrefix(line, []byte("<!--")); ok {
		return bytes.TrimLeft(bytes.TrimSuffix(rest, []byte("-->")), " \t"), true
	}
	for _, marker := range []string{"#", "//", "--"} {
		if rest, ok := bytes.CutPrefix(line, []byte(marker)); ok {
			return bytes.TrimLeft(rest, " \t"), true
		}
	}
	return nil, false
}

// inlineDocument returns the metadata on one line of a script.
func inlineDocument(file string, text []byte, line int) document {
	return document{file: file, json: onOneLine(text), source: text, line: func(int) int { return line }}
}
