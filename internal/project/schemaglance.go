package project

import "bytes"

// isPlainSchema reports whether a quick scan of the text of a schema shows that [object.lintSchema]
// would find no fault: each type is valid, and each required name is a member somewhere. Most
// schemas are like that, and parsing all of them would take half the time of the first look at a
// project.
func isPlainSchema(text []byte) bool {
	return eachValueOf(text, `"type"`, func(value []byte) bool {
		return eachString(value, func(word []byte) bool {
			switch string(word) {
			case `"string"`, `"number"`, `"integer"`, `"boolean"`, `"array"`, `"object"`, `"null"`:
				return true
			}
			return false
		})
	}) && eachValueOf(text, `"required"`, func(value []byte) bool {
		const most = 50 // names to look for in all of the text
		n := 0
		return eachString(value, func(name []byte) bool {
			n++
			return n <= most && isPropertyName(text, name)
		})
	})
}

// isPropertyName reports whether a name in quotes is that of a member, and not a keyword of schemas,
// which is a member almost everywhere.
func isPropertyName(text, name []byte) bool {
	switch string(name) {
	case `"type"`, `"properties"`, `"required"`, `"description"`, `"title"`, `"items"`, `"default"`, `"enum"`, `"format"`, `"pattern"`, `"const"`:
		return false
	}
	found := false
	eachValueOf(text, string(name), func([]byte) bool {
		found = true
		return false
	})
	return found
}

// eachValueOf calls do with the text after each member with a name, which is in quotes, until do
// returns false, and reports whether it never did.
func eachValueOf(text []byte, name string, do func(value []byte) bool) bool {
	for {
		at := bytes.Index(text, []byte(name))
		if at < 0 {
			return true
		}
		text = text[at+len(name):]
		value, isMember := bytes.CutPrefix(bytes.TrimLeft(text, " \t\r\n"), []byte(":"))
		if isMember && !do(bytes.TrimLeft(value, " \t\r\n")) {
			return false
		}
	}
}

// eachString calls do with the string that a value is, or with each of an array, in quotes, until it
// returns false, and reports whether it never did. A value of another kind has none, as that of a
// property that is called type.
func eachString(value []byte, do func(text []byte) bool) bool {
	inside, isArray := bytes.CutPrefix(value, []byte("["))
	if !isArray && !bytes.HasPrefix(value, []byte(`"`)) {
		return true
	}
	for {
		inside = bytes.TrimLeft(inside, " \t\r\n,")
		if !bytes.HasPrefix(inside, []byte(`"`)) {
			return bytes.HasPrefix(inside, []byte("]"))
		}
		end := bytes.IndexByte(inside[1:], '"')
		if end < 0 || !do(inside[:end+2]) {
			return false
		}
		if !isArray {
			return true
		}
		inside = inside[end+2:]
	}
}
