// Package mediatype tells the media types of files by their names and contents. It does not use the system's table,
// so that a project is the same on every machine, whether it is listed or read.
package mediatype

import (
	"bytes"
	"mime"
	"path"
	"strings"
	"unicode/utf8"
)

// types are those of file name extensions.
var types = map[string]string{
	".txt": "text/plain", ".text": "text/plain", ".log": "text/plain", ".conf": "text/plain",
	".cfg": "text/plain", ".ini": "text/plain", ".env": "text/plain", ".rst": "text/x-rst",
	".adoc": "text/asciidoc", ".md": "text/markdown", ".markdown": "text/markdown", ".html": "text/html",
	".htm": "text/html", ".css": "text/css", ".csv": "text/csv", ".tsv": "text/tab-separated-values",
	".ics": "text/calendar", ".diff": "text/x-diff", ".patch": "text/x-diff", ".js": "text/javascript",
	".mjs": "text/javascript", ".cjs": "text/javascript", ".jsx": "text/javascript", ".ts": "text/x-typescript",
	".tsx": "text/x-typescript", ".py": "text/x-python", ".rb": "text/x-ruby", ".go": "text/x-go",
	".rs": "text/x-rust", ".java": "text/x-java", ".c": "text/x-c", ".h": "text/x-c", ".cc": "text/x-c++",
	".cpp": "text/x-c++", ".hpp": "text/x-c++", ".cs": "text/x-csharp", ".php": "text/x-php",
	".pl": "text/x-perl", ".lua": "text/x-lua", ".swift": "text/x-swift", ".kt": "text/x-kotlin",
	".sh": "application/x-sh", ".bash": "application/x-sh", ".zsh": "application/x-sh", ".sql": "application/sql",
	".json": "application/json", ".jsonl": "application/jsonl", ".ndjson": "application/x-ndjson",
	".geojson": "application/geo+json", ".yaml": "application/yaml", ".yml": "application/yaml",
	".toml": "application/toml", ".xml": "application/xml", ".graphql": "application/graphql",
	".pdf": "application/pdf", ".rtf": "application/rtf", ".epub": "application/epub+zip",
	".wasm": "application/wasm", ".zip": "application/zip", ".gz": "application/gzip", ".tgz": "application/gzip",
	".tar": "application/x-tar", ".bz2": "application/x-bzip2", ".xz": "application/x-xz",
	".zst": "application/zstd", ".7z": "application/x-7z-compressed", ".bin": "application/octet-stream",
	".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
	".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
	".pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
	".odt":  "application/vnd.oasis.opendocument.text", ".sqlite": "application/vnd.sqlite3",
	".parquet": "application/vnd.apache.parquet", ".png": "image/png", ".jpg": "image/jpeg",
	".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp", ".avif": "image/avif",
	".svg": "image/svg+xml", ".ico": "image/x-icon", ".bmp": "image/bmp", ".tif": "image/tiff",
	".tiff": "image/tiff", ".heic": "image/heic", ".mp3": "audio/mpeg", ".wav": "audio/wav", ".ogg": "audio/ogg",
	".flac": "audio/flac", ".m4a": "audio/mp4", ".opus": "audio/ogg", ".mp4": "video/mp4", ".webm": "video/webm",
	".mov": "video/quicktime", ".mkv": "video/x-matroska", ".avi": "video/x-msvideo", ".woff": "font/woff",
	".woff2": "font/woff2", ".ttf": "font/ttf", ".otf": "font/otf",
}

// Of returns the type of contents by their name, which may be a path or the path of a URL, else by their first bytes.
func Of(name string, contents []byte) string {
	if t := ByName(name); t != "" {
		return t
	}
	return ByContents(contents)
}

// ByName returns the type by the name of a file, which may be a path with slashes; empty if it is unknown.
func ByName(name string) string { return types[strings.ToLower(path.Ext(name))] }

// Sniffed is the number of bytes from which a type is detected.
const Sniffed = 512

// signatures are the first bytes of files of some types.
var signatures = []struct{ begin, mime string }{
	{"\x89PNG\r\n\x1a\n", "image/png"}, {"\xff\xd8\xff", "image/jpeg"}, {"GIF8", "image/gif"},
	{"%PDF-", "application/pdf"}, {"PK\x03\x04", "application/zip"}, {"\x1f\x8b", "application/gzip"},
	{"SQLite format 3\x00", "application/vnd.sqlite3"}, {"ID3", "audio/mpeg"}, {"OggS", "audio/ogg"},
	{"fLaC", "audio/flac"},
}

// ByContents returns the type by the first bytes of a file.
func ByContents(contents []byte) string {
	head := contents[:min(len(contents), Sniffed)]
	for _, s := range signatures {
		if bytes.HasPrefix(head, []byte(s.begin)) {
			return s.mime
		}
	}
	if len(head) >= 12 && string(head[:4]) == "RIFF" {
		switch string(head[8:12]) {
		case "WEBP":
			return "image/webp"
		case "WAVE":
			return "audio/wav"
		}
	}
	head = bytes.TrimPrefix(head[:len(head)-cutRune(head)], []byte("\uFEFF"))
	switch text := bytes.TrimLeft(head, " \t\r\n"); {
	case !utf8.Valid(head) || bytes.IndexByte(head, 0) >= 0:
		return "application/octet-stream"
	case hasFoldedPrefix(text, "<!doctype html"), hasFoldedPrefix(text, "<html"):
		return "text/html"
	case hasFoldedPrefix(text, "<?xml"):
		return "application/xml"
	case bytes.HasPrefix(head, []byte("#!")):
		return "application/x-sh"
	}
	return "text/plain"
}

// cutRune returns the number of bytes of an incomplete character at the end of head.
func cutRune(head []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(head); n++ {
		if tail := head[len(head)-n:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRune(tail) {
				return n
			}
			break
		}
	}
	return 0
}

func hasFoldedPrefix(text []byte, prefix string) bool {
	return len(text) >= len(prefix) && strings.EqualFold(string(text[:len(prefix)]), prefix)
}

// IsText reports whether files of a type are text, and so can contain a comment.
func IsText(t string) bool {
	switch {
	case strings.HasPrefix(t, "text/"), strings.HasSuffix(t, "+xml"), strings.HasSuffix(t, "+json"):
		return true
	}
	switch strings.TrimPrefix(t, "application/") {
	case "json", "jsonl", "x-ndjson", "yaml", "toml", "xml", "graphql", "sql", "x-sh":
		return true
	}
	return false
}

// Plain returns a type without the parameter charset=utf-8, which is the default. It is empty if t is not a type.
func Plain(t string) string {
	base, params, err := mime.ParseMediaType(t)
	if err != nil {
		return ""
	}
	if strings.EqualFold(params["charset"], "utf-8") {
		delete(params, "charset")
	}
	return mime.FormatMediaType(base, params)
}
